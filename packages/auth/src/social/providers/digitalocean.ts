import type { OAuth2Record } from '../oauth2/record.ts'

/** DigitalOcean. */
export const digitalocean = {
  id: 'digitalocean',
  name: 'DigitalOcean',
  protocol: 'oauth2',
  source: 'https://docs.digitalocean.com/reference/api/oauth-api/',
  endpoints: {
    authorize: 'https://cloud.digitalocean.com/v1/oauth/authorize',
    token: 'https://cloud.digitalocean.com/v1/oauth/token',
    profile: 'https://api.digitalocean.com/v2/account',
  },
  conforms: true,
  person: { uid: 'account.uuid', email: 'account.email' },
} satisfies OAuth2Record
