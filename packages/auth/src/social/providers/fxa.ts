import type { OAuth2Record } from '../oauth2/record.ts'

/** Firefox Accounts. */
export const fxa = {
  id: 'fxa',
  name: 'Firefox Accounts',
  protocol: 'oauth2',
  source: 'https://mozilla.github.io/ecosystem-platform/api',
  endpoints: {
    authorize: '{OAUTH_ENDPOINT}/authorization',
    token: '{OAUTH_ENDPOINT}/token',
    profile: '{PROFILE_ENDPOINT}/profile',
  },
  settings: {
    OAUTH_ENDPOINT: 'https://oauth.accounts.firefox.com/v1',
    PROFILE_ENDPOINT: 'https://profile.accounts.firefox.com/v1',
  },
  scopes: ['profile'],
  person: { uid: 'uid', email: 'email' },
} satisfies OAuth2Record
