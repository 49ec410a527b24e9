import type { Shapes } from '../shape.ts'
import { expectedNames, oauth1 } from './parts.ts'

const YEAR_MS = 365 * 86_400_000

/** OAuth 1.0a providers except X. */
export const SIGNED_SHAPES: Shapes = {
  '500px': oauth1(
    [
      'https://api.500px.com/v1/oauth/request_token',
      'https://api.500px.com/v1/oauth/authorize',
      'https://api.500px.com/v1/oauth/access_token',
      'https://api.500px.com/v1/users',
    ],
    {
      profileReply: (who) => ({
        user: {
          id: who.number,
          username: who.username,
          firstname: who.firstName,
          lastname: who.lastName,
          fullname: who.fullName,
          email: who.email,
        },
      }),
      expected: (who) => ({ uid: String(who.number), email: who.email, username: who.username, ...expectedNames(who) }),
    },
  ),
  discogs: oauth1(
    [
      'https://api.discogs.com/oauth/request_token',
      'https://discogs.com/oauth/authorize',
      'https://api.discogs.com/oauth/access_token',
      'https://api.discogs.com/oauth/identity',
    ],
    {
      profileReply: (who) => ({
        id: who.number,
        username: who.username,
        resource_url: `https://api.discogs.com/users/${who.username}`,
        consumer_name: 'Emulated',
      }),
      expected: (who) => ({ uid: String(who.number) }),
    },
  ),
  evernote: oauth1(
    [
      'https://sandbox.evernote.com/oauth',
      'https://sandbox.evernote.com/OAuth.action',
      'https://sandbox.evernote.com/oauth',
      null,
    ],
    {
      tokenReply: (who, nowMs) => ({
        oauth_token_secret: '',
        edam_shard: 's1',
        edam_userId: who.id,
        edam_expires: String(nowMs + YEAR_MS),
        edam_noteStoreUrl: 'https://sandbox.evernote.com/shard/s1/notestore',
      }),
      expected: (who) => ({ uid: who.id }),
    },
  ),
  flickr: oauth1(
    [
      'https://www.flickr.com/services/oauth/request_token',
      'https://www.flickr.com/services/oauth/authorize',
      'https://www.flickr.com/services/oauth/access_token',
      'https://api.flickr.com/services/rest?method=flickr.people.getInfo',
    ],
    {
      authorizeParams: { perms: '' },
      secondProfile: 'https://api.flickr.com/services/rest?method=flickr.test.login',
      secondProfileReply: (who) => ({ user: { id: who.id, username: { _content: who.username } }, stat: 'ok' }),
      profileReply: (who, call) =>
        call.url.searchParams.has('user_id')
          ? {
              person: {
                id: who.id,
                nsid: who.id,
                ispro: 0,
                username: { _content: who.username },
                realname: { _content: who.fullName },
                profileurl: { _content: 'https://www.flickr.com/people/a/' },
              },
              stat: 'ok',
            }
          : { stat: 'fail', code: 1, message: 'User not found' },
      expected: (who) => ({ uid: who.id, username: who.username, name: who.fullName }),
    },
  ),
  openstreetmap: oauth1(
    [
      'https://www.openstreetmap.org/oauth/request_token',
      'https://www.openstreetmap.org/oauth/authorize',
      'https://www.openstreetmap.org/oauth/access_token',
      'https://api.openstreetmap.org/api/0.6/user/details.json',
    ],
    {
      profileReply: (who) => ({
        version: '0.6',
        user: { id: who.number, display_name: who.username, account_created: '2020-01-01T00:00:00Z' },
      }),
      expected: (who) => ({ uid: String(who.number), username: who.username }),
    },
  ),
  trello: oauth1(
    [
      'https://trello.com/1/OAuthGetRequestToken',
      'https://trello.com/1/OAuthAuthorizeToken',
      'https://trello.com/1/OAuthGetAccessToken',
      'https://api.trello.com/1/members/me',
    ],
    {
      key: 'trello-key',
      authorizeParams: { type: 'web_server', name: '', expiration: 'never' },
      profileBy: 'key',
      profileReply: (who) => ({
        id: who.id,
        username: who.username,
        fullName: who.fullName,
        name: who.fullName,
        email: who.email,
        url: `https://trello.com/${who.username}`,
      }),
      expected: (who) => ({ uid: who.id, email: who.email, username: who.username, name: who.fullName }),
    },
  ),
  tumblr: oauth1(
    [
      'https://www.tumblr.com/oauth/request_token',
      'https://www.tumblr.com/oauth/authorize',
      'https://www.tumblr.com/oauth/access_token',
      'https://api.tumblr.com/v2/user/info',
    ],
    {
      uidFrom: 'username',
      profileReply: (who) => ({
        meta: { status: 200, msg: 'OK' },
        response: { user: { name: who.username, likes: 0, following: 1, blogs: [] } },
      }),
      expected: (who) => ({ uid: who.username, firstName: who.username }),
    },
  ),
  vimeo: oauth1(
    [
      'https://vimeo.com/oauth/request_token',
      'https://vimeo.com/oauth/authorize',
      'https://vimeo.com/oauth/access_token',
      'https://vimeo.com/api/rest/v2?method=vimeo.people.getInfo&format=json',
    ],
    {
      profileReply: (who) => ({
        generated_in: '0.01',
        stat: 'ok',
        person: { id: who.id, username: who.username, display_name: who.fullName, is_plus: '0' },
      }),
      expected: (who) => ({ uid: who.id, username: who.username, name: who.fullName }),
    },
  ),
  xing: oauth1(
    [
      'https://api.xing.com/v1/request_token',
      'https://www.xing.com/v1/authorize',
      'https://api.xing.com/v1/access_token',
      'https://api.xing.com/v1/users/me.json',
    ],
    {
      profileReply: (who) => ({
        users: [
          {
            id: who.id,
            first_name: who.firstName,
            last_name: who.lastName,
            display_name: who.fullName,
            page_name: who.username,
            active_email: who.email,
          },
        ],
      }),
      expected: (who) => ({ uid: who.id, email: who.email, username: who.username, ...expectedNames(who) }),
    },
  ),
}
