import type { OAuth2Record } from '../oauth2/record.ts'

/**
 * edX; people without an address in the first reply have one in their account. The id is the user name, which stays
 * what it is unless staff of the server change it.
 */
export const edx = {
  id: 'edx',
  name: 'Edx',
  protocol: 'oauth2',
  source: 'https://docs.openedx.org/projects/edx-platform/en/latest/how-tos/use_the_api.html',
  endpoints: {
    authorize: '{EDX_URL}/oauth2/authorize/',
    token: '{EDX_URL}/oauth2/access_token',
    profile: '{EDX_URL}/api/user/v1/me',
  },
  settings: { EDX_URL: 'https://edx.org' },
  scopes: ['profile'],
  forcesHttpsCallback: true,
  further: [{ when: { without: 'email' }, url: '{EDX_URL}/api/user/v1/accounts/{profile.username}' }],
  person: { uid: 'username', email: 'email', username: 'username', displayName: 'name' },
} satisfies OAuth2Record
