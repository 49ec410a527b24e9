import type { OAuth2Record } from '../oauth2/record.ts'

const authorize = 'https://www.pinterest.com/oauth/'
const token = 'https://{PINTEREST_URL}/{API_VERSION}/oauth/token'

/** Pinterest. The id of version 5 is the user name, which can change: `uid_field` can name `id` for new sites. */
export const pinterest = {
  id: 'pinterest',
  name: 'Pinterest',
  protocol: 'oauth2',
  source: 'https://developers.pinterest.com/docs/getting-started/authentication/',
  endpoints: {
    authorize: 'https://www.pinterest.com/oauth/',
    token: 'https://{PINTEREST_URL}/{API_VERSION}/oauth/token',
    profile: 'https://{PINTEREST_URL}/{API_VERSION}/me',
  },
  settings: { PINTEREST_URL: 'api.pinterest.com', API_VERSION: 'v1' },
  scopes: ['read_public'],
  clientAuth: 'basic',
  stored: { root: 'data' },
  person: { uid: 'data.id', firstName: 'data.first_name', lastName: 'data.last_name' },
  variants: [
    {
      when: { setting: 'API_VERSION', is: 'v3' },
      use: {
        endpoints: { authorize, token, profile: 'https://{PINTEREST_URL}/v3/users/me' },
        scopes: ['read_users'],
        tokenRequest: { method: 'PUT' },
      },
    },
    {
      when: { setting: 'API_VERSION', is: 'v5' },
      use: {
        endpoints: { authorize, token, profile: 'https://{PINTEREST_URL}/v5/user_account' },
        scopes: ['user_accounts:read'],
        stored: {},
        person: { uid: 'username', username: 'username' },
      },
    },
  ],
} satisfies OAuth2Record
