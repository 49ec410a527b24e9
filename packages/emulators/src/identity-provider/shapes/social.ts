import { createHmac } from 'node:crypto'
import type { Shapes } from '../shape.ts'
import { expectedNames, expectedEmail, oauth2, isOdnoklassnikiSigned } from './parts.ts'

const facebook = {
  graph: 'https://graph.facebook.com/{version}',
  fields: (asked: string | null, all: Readonly<Record<string, unknown>>): unknown =>
    Object.fromEntries(
      Object.entries(all).filter(([name]) => name === 'id' || (asked ?? '').split(',').includes(name)),
    ),
}

/** Social networks. */
export const SOCIAL_SHAPES: Shapes = {
  discord: oauth2(
    [
      'https://discord.com/api/oauth2/authorize',
      'https://discord.com/api/oauth2/token',
      'https://discord.com/api/users/@me',
    ],
    'bearer',
    {
      emailScope: 'email',
      profileReply: (who) => ({
        id: who.id,
        username: who.username,
        discriminator: '0',
        global_name: who.fullName,
        avatar: null,
        email: who.email,
        verified: who.emailVerified,
      }),
      expected: (who) => ({ uid: who.id, ...expectedEmail(who), username: who.username, name: who.username }),
    },
  ),
  disqus: oauth2(
    [
      'https://disqus.com/api/oauth/2.0/authorize/',
      'https://disqus.com/api/oauth/2.0/access_token/',
      'https://disqus.com/api/3.0/users/details.json',
    ],
    'query:access_token',
    {
      scopeDelimiter: ',',
      emailScope: 'email',
      profileCheck: ({ url }, { clientId, secret }) =>
        url.searchParams.get('api_key') === clientId && url.searchParams.get('api_secret') === secret,
      profileReply: (who) => ({
        code: 0,
        response: { id: who.id, username: who.username, name: who.fullName, email: who.email, isAnonymous: false },
      }),
      expected: (who) => ({ uid: who.id, email: who.email, username: who.username, name: who.fullName }),
    },
  ),
  facebook: oauth2(
    ['https://www.facebook.com/{version}/dialog/oauth', `${facebook.graph}/oauth/access_token`, `${facebook.graph}/me`],
    'query:access_token',
    {
      settings: {
        GRAPH_API_URL: 'https://graph.facebook.com/{version}',
        AUTHORIZE_URL: 'https://www.facebook.com/{version}/dialog/oauth',
      },
      fill: { version: 'v19.0' },
      jwks: 'https://limited.facebook.com/.well-known/oauth/openid/jwks/',
      issuer: 'https://www.facebook.com',
      debugToken: `${facebook.graph}/debug_token`,
      tokenMethod: 'GET',
      scopeDelimiter: ',',
      emailScope: 'email',
      tokenError: (error) => [400, { error: { message: `Emulated: ${error}`, type: 'OAuthException', code: 100 } }],
      tokenReply: ({ access_token, expires_in }) => ({ access_token, token_type: 'bearer', expires_in }),
      profileCheck: ({ url }, { token, secret }) =>
        url.searchParams.get('appsecret_proof') === createHmac('sha256', secret).update(token).digest('hex'),
      profileError: (error) => [400, { error: { message: `Emulated: ${error}`, type: 'OAuthException', code: 190 } }],
      profileReply: (who, call) =>
        facebook.fields(call.url.searchParams.get('fields'), {
          id: who.id,
          email: who.email,
          name: who.fullName,
          first_name: who.firstName,
          last_name: who.lastName,
          verified: true,
          link: `https://www.facebook.com/app_scoped_user_id/${who.id}/`,
        }),
      expected: (who) => ({ uid: who.id, email: who.email, name: who.fullName, ...expectedNames(who) }),
    },
  ),
  instagram: oauth2(
    [
      'https://api.instagram.com/oauth/authorize',
      'https://api.instagram.com/oauth/access_token',
      'https://graph.instagram.com/me',
    ],
    'query:access_token',
    {
      tokenReply: ({ access_token }, who) => ({ access_token, user_id: who.number }),
      profileParams: ['fields'],
      profileReply: (who) => ({ id: who.id, username: who.username }),
      expected: (who) => ({ uid: who.id, username: who.username }),
    },
  ),
  odnoklassniki: oauth2(
    [
      'https://www.odnoklassniki.ru/oauth/authorize',
      'https://api.odnoklassniki.ru/oauth/token.do',
      'https://api.odnoklassniki.ru/fb.do',
    ],
    'query:access_token',
    {
      key: 'PUBLICKEY',
      profileCheck: isOdnoklassnikiSigned,
      profileError: (error) => [200, { error_code: 104, error_msg: error }],
      profileReply: (who) => ({
        uid: who.id,
        email: who.email,
        first_name: who.firstName,
        last_name: who.lastName,
        name: who.fullName,
        locale: 'ru',
      }),
      expected: (who) => ({ uid: who.id, email: who.email, ...expectedNames(who) }),
    },
  ),
  patreon: oauth2(
    [
      'https://www.patreon.com/oauth2/authorize',
      'https://www.patreon.com/api/oauth2/token',
      'https://www.patreon.com/api/oauth2/api/current_user',
    ],
    'bearer',
    {
      alsoAt: [['/api/oauth2/api/current_user', '/api/oauth2/v2/identity']],
      secondProfile: 'https://www.patreon.com/api/oauth2/v2/members/{member}',
      secondProfileReply: () => ({ data: {}, included: [{ type: 'tier', attributes: { title: 'Friend' } }] }),
      profileReply: (who, { url }) => ({
        data: {
          type: 'user',
          id: who.id,
          attributes: {
            email: who.email,
            first_name: who.firstName,
            last_name: who.lastName,
            full_name: who.fullName,
            vanity: who.username,
          },
          relationships: url.pathname.includes('/v2/')
            ? { memberships: { data: [{ type: 'member', id: 'member-1' }] } }
            : {},
        },
      }),
      expected: (who) => ({ uid: who.id, email: who.email, name: who.fullName, ...expectedNames(who) }),
    },
  ),
  pinterest: oauth2(
    ['https://www.pinterest.com/oauth/', 'https://api.pinterest.com/v1/oauth/token', 'https://api.pinterest.com/v1/me'],
    'bearer',
    {
      alsoAt: [
        ['/v1/oauth/', '/v3/oauth/'],
        ['/v1/me', '/v3/users/me'],
        ['/v1/oauth/', '/v5/oauth/'],
        ['/v1/me', '/v5/user_account'],
      ],
      tokenAuth: 'basic',
      tokenMethodAt: ({ url }) => (url.pathname.startsWith('/v3/') ? 'PUT' : 'POST'),
      profileReply: (who, { url }) =>
        url.pathname.startsWith('/v5/')
          ? { account_type: 'PINNER', username: who.username, profile_image: 'https://i.example/a.jpg' }
          : {
              data: {
                id: who.id,
                first_name: who.firstName,
                last_name: who.lastName,
                url: 'https://www.pinterest.com/a/',
              },
            },
      expected: (who) => ({ uid: who.id, ...expectedNames(who) }),
    },
  ),
  reddit: oauth2(
    [
      'https://www.reddit.com/api/v1/authorize',
      'https://www.reddit.com/api/v1/access_token',
      'https://oauth.reddit.com/api/v1/me',
    ],
    'bearer',
    {
      uidFrom: 'username',
      tokenAuth: 'basic',
      profileHeaders: { 'user-agent': /\S/ },
      profileError: () => [429, { message: 'Too Many Requests', error: 429 }],
      profileReply: (who) => ({ id: '8wl2p', name: who.username, link_karma: 1, comment_karma: 1, is_employee: false }),
      expected: (who) => ({ uid: who.username, username: who.username }),
    },
  ),
  snapchat: oauth2(
    [
      'https://accounts.snapchat.com/accounts/oauth2/auth',
      'https://accounts.snapchat.com/accounts/oauth2/token',
      'https://api.snapkit.com/v1/me',
    ],
    'bearer',
    {
      profileMethod: 'POST',
      profileCheck: ({ isJson, form }) => isJson && /\bme\b[\s\S]*\bexternalId\b/.test(form.get('query') ?? ''),
      profileReply: (who) => ({ data: { me: { externalId: who.id, displayName: who.fullName } }, errors: [] }),
      expected: (who) => ({ uid: who.id, name: who.fullName }),
    },
  ),
  tiktok: oauth2(
    [
      'https://www.tiktok.com/v2/auth/authorize/',
      'https://open.tiktokapis.com/v2/oauth/token/',
      'https://open.tiktokapis.com/v2/user/info/',
    ],
    'bearer',
    {
      authorizeClientId: 'client_key',
      tokenNames: { client_id: 'client_key' },
      scopeDelimiter: ',',
      tokenReply: (standard, who) => ({ ...standard, open_id: who.id, refresh_expires_in: 31_536_000 }),
      profileParams: ['fields'],
      profileHeaders: { 'client-id': 'clientId' },
      profileError: (error) => [401, { data: {}, error: { code: 'access_token_invalid', message: error } }],
      profileReply: (who) => ({
        data: {
          user: {
            open_id: who.id,
            display_name: who.fullName,
            username: who.username,
            avatar_url: 'https://p16.example/a',
          },
        },
        error: { code: 'ok', message: '', log_id: '1' },
      }),
      expected: (who) => ({ uid: who.id, username: who.username, name: who.fullName }),
    },
  ),
  tumblr_oauth2: oauth2(
    [
      'https://www.tumblr.com/oauth2/authorize',
      'https://api.tumblr.com/v2/oauth2/token',
      'https://api.tumblr.com/v2/user/info',
    ],
    'bearer',
    {
      uidFrom: 'username',
      profileReply: (who) => ({
        meta: { status: 200, msg: 'OK' },
        response: { user: { name: who.username, likes: 0, following: 1, blogs: [] } },
      }),
      expected: (who) => ({ uid: who.username, firstName: who.username }),
    },
  ),
  twitter_oauth2: oauth2(
    ['https://x.com/i/oauth2/authorize', 'https://api.x.com/2/oauth2/token', 'https://api.x.com/2/users/me'],
    'bearer',
    {
      tokenAuth: 'basic',
      pkceNeeded: true,
      profileReply: (who) => ({ data: { id: who.id, name: who.fullName, username: who.username, verified: false } }),
      expected: (who) => ({ uid: who.id, username: who.username, name: who.fullName }),
    },
  ),
  vk: oauth2(
    ['https://id.vk.ru/authorize', 'https://id.vk.ru/oauth2/auth', 'https://id.vk.ru/oauth2/user_info'],
    'form:access_token',
    {
      pkceNeeded: true,
      emailScope: 'email',
      callbackParams: () => ({ device_id: 'device-1', type: 'code_v2' }),
      tokenParams: ['device_id', 'state'],
      tokenReply: (standard, who) => ({ ...standard, user_id: who.number }),
      profileMethod: 'POST',
      profileCheck: ({ form }, { clientId }) => form.get('client_id') === clientId,
      profileError: (error) => [200, { error, error_description: 'Emulated.' }],
      profileReply: (who) => ({
        user: {
          user_id: who.id,
          first_name: who.firstName,
          last_name: who.lastName,
          email: who.email,
          verified: false,
        },
      }),
      expected: (who) => ({ uid: who.id, email: who.email, ...expectedNames(who) }),
    },
  ),
}
