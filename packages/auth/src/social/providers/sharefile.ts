import type { OAuth2Record } from '../oauth2/record.ts'

/** ShareFile. */
export const sharefile = {
  id: 'sharefile',
  name: 'ShareFile',
  protocol: 'oauth2',
  source: 'https://api.sharefile.com/gettingstarted/oauth2',
  endpoints: {
    authorize: '{DEFAULT_URL}/oauth/authorize',
    token: 'https://{SUBDOMAIN}.{APICP}/oauth/token',
    profile: 'https://{SUBDOMAIN}.sf-api.com/sf/v3/Users',
  },
  settings: { SUBDOMAIN: 'secure', APICP: 'sharefile.com', DEFAULT_URL: 'https://secure.sharefile.com' },
  person: { uid: 'Id', email: 'Email', username: 'Username', displayName: 'FullName' },
} satisfies OAuth2Record
