import type { OAuth2Record } from '../oauth2/record.ts'

/** PayPal; its sandbox unless `MODE` is `live`. */
export const paypal = {
  id: 'paypal',
  name: 'Paypal',
  protocol: 'oauth2',
  source: 'https://developer.paypal.com/docs/log-in-with-paypal/integrate/',
  endpoints: {
    authorize: 'https://www.{DOMAIN}/webapps/auth/protocol/openidconnect/v1/authorize',
    token: 'https://api.{DOMAIN}/v1/identity/openidconnect/tokenservice',
    profile: 'https://api.{DOMAIN}/v1/identity/openidconnect/userinfo',
  },
  settings: { DOMAIN: { setting: 'MODE', choices: { live: 'paypal.com' }, default: 'sandbox.paypal.com' } },
  scopes: ['openid', 'email'],
  profile: { method: 'POST', token: { query: 'access_token' }, query: { schema: 'openid' } },
  person: { uid: 'user_id', email: 'email', firstName: 'given_name', lastName: 'family_name' },
} satisfies OAuth2Record
