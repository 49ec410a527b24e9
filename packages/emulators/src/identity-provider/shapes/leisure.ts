import type { Shapes } from '../shape.ts'
import { expectedNames, oauth2 } from './parts.ts'

/** Games, sport, music and video. */
export const LEISURE_SHAPES: Shapes = {
  battlenet: oauth2(
    ['https://oauth.battle.net/authorize', 'https://oauth.battle.net/token', 'https://oauth.battle.net/userinfo'],
    'bearer',
    {
      alsoAt: [['oauth.battle.net', 'oauth.battlenet.com.cn']],
      profileError: (error) => [401, { error, error_description: 'Emulated.' }],
      profileReply: (who) => ({ sub: String(who.number), id: who.number, battletag: `${who.username}#1234` }),
      expected: (who) => ({ uid: String(who.number), username: `${who.username}#1234` }),
    },
  ),
  eveonline: oauth2(
    [
      'https://login.eveonline.com/oauth/authorize',
      'https://login.eveonline.com/oauth/token',
      'https://login.eveonline.com/oauth/verify',
    ],
    'bearer',
    {
      profileReply: (who) => ({
        CharacterID: 2112625428,
        CharacterName: who.fullName,
        CharacterOwnerHash: who.id,
        TokenType: 'Character',
        Scopes: '',
      }),
      expected: (who) => ({ uid: who.id, name: who.fullName }),
    },
  ),
  frontier: oauth2(
    [
      'https://auth.frontierstore.net/auth',
      'https://auth.frontierstore.net/token',
      'https://auth.frontierstore.net/me',
    ],
    'bearer',
    {
      profileReply: (who) => ({
        customer_id: who.id,
        email: who.email,
        firstname: who.firstName,
        lastname: who.lastName,
        platform: 'frontier',
      }),
      expected: (who) => ({ uid: who.id, email: who.email, username: who.email, ...expectedNames(who) }),
    },
  ),
  lichess: oauth2(
    ['https://lichess.org/oauth', 'https://lichess.org/api/token', 'https://lichess.org/api/account'],
    'any',
    {
      settings: { API_URL: 'https://lichess.org' },
      pkceNeeded: true,
      email: 'https://lichess.org/api/account/email',
      emailScope: 'email:read',
      profileReply: (who) => ({
        id: who.id,
        username: who.username,
        profile: { firstName: who.firstName, lastName: who.lastName },
        perfs: {},
      }),
      emailReply: (who) =>
        who.email === null ? Response.json({ error: 'Missing scope' }, { status: 403 }) : { email: who.email },
      expected: (who) => ({ uid: who.id, email: who.email, username: who.username, ...expectedNames(who) }),
    },
  ),
  soundcloud: oauth2(
    ['https://soundcloud.com/connect', 'https://api.soundcloud.com/oauth2/token', 'https://api.soundcloud.com/me.json'],
    'query:oauth_token',
    {
      profileReply: (who) => ({
        urn: `soundcloud:users:${who.id}`,
        id: who.number,
        username: who.username,
        full_name: who.fullName,
        email: who.email,
      }),
      expected: (who) => ({
        uid: `soundcloud:users:${who.id}`,
        email: who.email,
        username: who.username,
        name: who.fullName,
      }),
    },
  ),
  spotify: oauth2(
    [
      'https://accounts.spotify.com/authorize',
      'https://accounts.spotify.com/api/token',
      'https://api.spotify.com/v1/me',
    ],
    'query:access_token',
    {
      emailScope: 'user-read-email',
      profileReply: (who) => ({
        id: who.id,
        display_name: who.fullName,
        email: who.email,
        type: 'user',
        uri: `spotify:user:${who.id}`,
      }),
      expected: (who) => ({ uid: who.id, email: who.email, name: who.fullName }),
    },
  ),
  strava: oauth2(
    [
      'https://www.strava.com/oauth/authorize',
      'https://www.strava.com/oauth/token',
      'https://www.strava.com/api/v3/athlete',
    ],
    'bearer',
    {
      scopeDelimiter: 'any',
      profileReply: (who) => ({
        id: who.number,
        username: who.username,
        resource_state: 3,
        firstname: who.firstName,
        lastname: who.lastName,
        email: who.email,
      }),
      expected: (who) => ({
        uid: String(who.number),
        email: who.email,
        username: who.username,
        name: who.fullName,
        ...expectedNames(who),
      }),
    },
  ),
  trainingpeaks: oauth2(
    [
      'https://oauth.sandbox.trainingpeaks.com/OAuth/Authorize',
      'https://oauth.sandbox.trainingpeaks.com/oauth/token',
      'https://api.sandbox.trainingpeaks.com/v1/athlete/profile',
    ],
    'bearer',
    {
      alsoAt: [['sandbox.trainingpeaks.com', 'trainingpeaks.com']],
      profileReply: (who) => ({
        Id: who.number,
        FirstName: who.firstName,
        LastName: who.lastName,
        Email: who.email,
        IsPremium: false,
      }),
      expected: (who) => ({
        uid: String(who.number),
        email: who.email,
        username: `${who.firstName}.${who.lastName}`.toLowerCase(),
        name: who.fullName,
        ...expectedNames(who),
      }),
    },
  ),
  twitch: oauth2(
    ['https://id.twitch.tv/oauth2/authorize', 'https://id.twitch.tv/oauth2/token', 'https://api.twitch.tv/helix/users'],
    'bearer',
    {
      emailScope: 'user:read:email',
      profileHeaders: { 'client-id': 'clientId' },
      profileError: (error) => [401, { error: 'Unauthorized', status: 401, message: error }],
      profileReply: (who) => ({
        data: [{ id: who.id, login: who.username, display_name: who.fullName, email: who.email, type: '' }],
      }),
      expected: (who) => ({ uid: who.id, email: who.email, username: who.username, name: who.fullName }),
    },
  ),
  vimeo_oauth2: oauth2(
    ['https://api.vimeo.com/oauth/authorize', 'https://api.vimeo.com/oauth/access_token', 'https://api.vimeo.com/me/'],
    'bearer',
    {
      profileReply: (who) => ({
        uri: `/users/${who.id}`,
        name: who.fullName,
        link: 'https://vimeo.com/a',
        account: 'basic',
      }),
      expected: (who) => ({ uid: who.id, name: who.fullName }),
    },
  ),
  wahoo: oauth2(
    [
      'https://api.wahooligan.com/oauth/authorize',
      'https://api.wahooligan.com/oauth/token',
      'https://api.wahooligan.com/v1/user',
    ],
    'bearer',
    {
      emailScope: 'email',
      profileReply: (who) => ({
        id: who.number,
        first: who.firstName,
        last: who.lastName,
        email: who.email,
        height: '1.8',
      }),
      expected: (who) => ({ uid: String(who.number), email: who.email }),
    },
  ),
  amazon: oauth2(
    ['https://www.amazon.com/ap/oa', 'https://api.amazon.com/auth/o2/token', 'https://api.amazon.com/user/profile'],
    'query:access_token',
    {
      profileReply: (who) => ({ user_id: `amzn1.account.${who.id}`, name: who.fullName, email: who.email }),
      expected: (who) => ({ uid: `amzn1.account.${who.id}`, email: who.email, ...expectedNames(who) }),
    },
  ),
  foursquare: oauth2(
    [
      'https://foursquare.com/oauth2/authenticate',
      'https://foursquare.com/oauth2/access_token',
      'https://api.foursquare.com/v2/users/self',
    ],
    'query:oauth_token',
    {
      profileParams: ['v'],
      profileReply: (who) => ({
        meta: { code: 200 },
        response: {
          user: {
            id: who.id,
            firstName: who.firstName,
            lastName: who.lastName,
            firstname: who.firstName,
            lastname: who.lastName,
            contact: { email: who.email },
          },
        },
      }),
      expected: (who) => ({ uid: who.id, email: who.email, ...expectedNames(who) }),
    },
  ),
  meetup: oauth2(
    [
      'https://secure.meetup.com/oauth2/authorize',
      'https://secure.meetup.com/oauth2/access',
      'https://api.meetup.com/2/member/self',
    ],
    'query:access_token',
    {
      profileReply: (who) => ({
        id: who.number,
        name: who.fullName,
        email: who.email,
        status: 'active',
        city: 'Berlin',
      }),
      expected: (who) => ({ uid: String(who.number), email: who.email, name: who.fullName }),
    },
  ),
}
