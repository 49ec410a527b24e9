import { createHash } from 'node:crypto'
import type { Shapes } from '../shape.ts'
import { expectedNames, oauth2 } from './parts.ts'

/** Drip has no id; a digest of the address replaces it. */
const digest = (email: string): string => createHash('sha256').update(email.toLowerCase()).digest('hex')

/** Office software and shops. */
export const WORK_SHAPES: Shapes = {
  basecamp: oauth2(
    [
      'https://launchpad.37signals.com/authorization/new',
      'https://launchpad.37signals.com/authorization/token?type=web_server',
      'https://launchpad.37signals.com/authorization.json',
    ],
    'bearer',
    {
      authorizeParams: { type: 'web_server' },
      profileReply: (who) => ({
        expires_at: '2030-01-01T00:00:00Z',
        identity: { id: who.number, email_address: who.email, first_name: who.firstName, last_name: who.lastName },
        accounts: [],
      }),
      expected: (who) => ({
        uid: String(who.number),
        email: who.email,
        username: who.email,
        name: who.fullName,
        ...expectedNames(who),
      }),
    },
  ),
  bitly: oauth2(
    [
      'https://bitly.com/oauth/authorize',
      'https://api-ssl.bitly.com/oauth/access_token',
      'https://api-ssl.bitly.com/v3/user/info',
    ],
    'query:access_token',
    {
      uidFrom: 'username',
      profileReply: (who) => ({
        status_code: 200,
        status_txt: 'OK',
        data: { login: who.username, full_name: who.fullName, profile_url: `http://bitly.com/u/${who.username}` },
      }),
      expected: (who) => ({ uid: who.username, username: who.username, name: who.fullName }),
    },
  ),
  drip: oauth2(
    [
      'https://www.getdrip.com/oauth/authorize',
      'https://www.getdrip.com/oauth/token',
      'https://api.getdrip.com/v2/user',
    ],
    'bearer',
    {
      uidFrom: 'email',
      profileReply: (who) => ({ users: [{ email: who.email, name: who.fullName, time_zone: 'Europe/Berlin' }] }),
      expected: (who) => ({ uid: digest(who.email ?? ''), email: who.email, name: who.fullName }),
    },
  ),
  gumroad: oauth2(
    [
      'https://gumroad.example/oauth/authorize',
      'https://gumroad.example/oauth/token',
      'https://api.gumroad.com/v2/user',
    ],
    'query:access_token',
    {
      settings: { GUMROAD_URL: 'https://gumroad.example' },
      profileReply: (who) => ({
        success: true,
        user: { user_id: who.id, name: who.fullName, email: who.email, url: `https://gumroad.com/${who.username}` },
      }),
      expected: (who) => ({ uid: who.id, email: who.email, username: who.username, name: who.fullName }),
    },
  ),
  hubspot: oauth2(
    [
      'https://app.hubspot.com/oauth/authorize',
      'https://api.hubapi.com/oauth/v1/token',
      'https://api.hubapi.com/oauth/v1/access-tokens/{access_token}',
    ],
    'path',
    {
      profileReply: (who) => ({
        user: who.email,
        user_id: who.number,
        hub_id: 62515,
        app_id: 456,
        token_type: 'access',
      }),
      expected: (who) => ({ uid: String(who.number), email: who.email }),
    },
  ),
  mailchimp: oauth2(
    [
      'https://login.mailchimp.com/oauth2/authorize',
      'https://login.mailchimp.com/oauth2/token',
      'https://login.mailchimp.com/oauth2/metadata',
    ],
    'header:authorization: OAuth',
    {
      profileReply: (who) => ({
        dc: 'us1',
        role: 'owner',
        accountname: 'Emulated',
        user_id: who.number,
        login: { email: who.email, login_name: who.username },
        api_endpoint: 'https://us1.api.mailchimp.example',
      }),
      expected: (who) => ({ uid: String(who.number) }),
    },
  ),
  shopify: oauth2(
    [
      'https://{shop}.myshopify.com/admin/oauth/authorize',
      'https://{shop}.myshopify.com/admin/oauth/access_token',
      'https://{shop}.myshopify.com/admin/shop.json',
    ],
    'header:x-shopify-access-token',
    {
      fill: { shop: 'emulated-shop' },
      scopeDelimiter: ',',
      callbackParams: () => ({ shop: 'emulated-shop.myshopify.com' }),
      tokenReply: ({ access_token, scope }, who, _call, { asked }) => ({
        access_token,
        scope,
        ...(asked['grant_options[]'] === 'per-user'
          ? {
              associated_user: {
                id: who.number,
                first_name: who.firstName,
                last_name: who.lastName,
                email: who.email,
                email_verified: who.emailVerified,
              },
            }
          : {}),
      }),
      profileReply: (who) => ({ shop: { id: who.number, name: 'Emulated', email: who.email, domain: 'shop.example' } }),
      expected: (who) => ({ uid: String(who.number), email: who.email }),
    },
  ),
  untappd: oauth2(
    [
      'https://untappd.com/oauth/authenticate/',
      'https://untappd.com/oauth/authorize/',
      'https://api.untappd.com/v4/user/info/',
    ],
    'query:access_token',
    {
      authorizeRedirect: 'redirect_url',
      tokenMethod: 'GET',
      tokenNames: { redirect_uri: 'redirect_url' },
      tokenReply: ({ access_token }) => ({ meta: { http_code: 200 }, response: { access_token } }),
      profileReply: (who) => ({
        meta: { code: 200 },
        response: {
          user: {
            uid: who.number,
            id: who.number,
            user_name: who.username,
            first_name: who.firstName,
            last_name: who.lastName,
            settings: { email_address: who.email },
          },
        },
      }),
      expected: (who) => ({ uid: String(who.number), email: who.email, username: who.username, name: who.fullName }),
    },
  ),
}
