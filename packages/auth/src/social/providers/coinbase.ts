import type { OAuth2Record } from '../oauth2/record.ts'

/** Coinbase; version 2 of its API wraps the profile into `data`. */
export const coinbase = {
  id: 'coinbase',
  name: 'Coinbase',
  protocol: 'oauth2',
  source: 'https://docs.cdp.coinbase.com/coinbase-app/oauth2-integration/overview',
  endpoints: {
    authorize: 'https://www.coinbase.com/oauth/authorize',
    token: 'https://www.coinbase.com/oauth/token',
    profile: 'https://api.coinbase.com/v2/user',
  },
  scopes: ['wallet:user:email'],
  profile: { token: { query: 'access_token' } },
  person: { uid: ['id', 'data.id'], email: ['email', 'data.email'] },
} satisfies OAuth2Record
