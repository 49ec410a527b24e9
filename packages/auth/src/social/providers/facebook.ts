import type { OAuth2Record } from '../oauth2/record.ts'

/**
 * Facebook. `verified` of a profile is not about the address. Access tokens of its SDKs are looked up; id tokens are
 * those of Limited Login.
 */
export const facebook = {
  id: 'facebook',
  name: 'Facebook',
  protocol: 'oauth2',
  source: 'https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow',
  endpoints: {
    authorize: '{AUTHORIZE_URL}',
    token: '{GRAPH_API_URL}/oauth/access_token',
    profile: '{GRAPH_API_URL}/me',
    jwks: 'https://limited.facebook.com/.well-known/oauth/openid/jwks/',
    issuer: 'https://www.facebook.com',
  },
  settings: {
    VERSION: 'v19.0',
    GRAPH_API_URL: 'https://graph.facebook.com/{VERSION}',
    AUTHORIZE_URL: 'https://www.facebook.com/{VERSION}/dialog/oauth',
    FIELDS: 'id,email,name,first_name,last_name,verified,locale,timezone,link,gender,updated_time',
    EXCHANGE_TOKEN: 'false',
    APP_TOKEN_CACHE_TIMEOUT: '300',
  },
  emailScopes: ['email'],
  scopeDelimiter: ',',
  reauthenticate: { auth_type: 'reauthenticate' },
  rerequest: { auth_type: 'rerequest' },
  tokenRequest: { method: 'GET' },
  profile: { token: { query: 'access_token' }, query: { fields: '{FIELDS}' }, appSecretProof: true },
  idToken: {
    algorithms: ['RS256'],
    names: {
      sub: 'id',
      email: 'email',
      given_name: 'first_name',
      family_name: 'last_name',
      name: 'name',
      user_link: 'link',
    },
  },
  person: {
    uid: 'id',
    email: 'email',
    username: 'username',
    firstName: 'first_name',
    lastName: 'last_name',
    displayName: 'name',
  },
  givenToken: 'facebook',
} satisfies OAuth2Record
