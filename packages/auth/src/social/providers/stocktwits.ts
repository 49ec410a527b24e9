import type { OAuth2Record } from '../oauth2/record.ts'

/** Stocktwits. */
export const stocktwits = {
  id: 'stocktwits',
  name: 'Stocktwits',
  protocol: 'oauth2',
  source: 'https://api.stocktwits.com/developers/docs/authentication',
  endpoints: {
    authorize: 'https://api.stocktwits.com/api/2/oauth/authorize',
    token: 'https://api.stocktwits.com/api/2/oauth/token',
    profile: 'https://api.stocktwits.com/api/2/streams/user/{token.user_id}.json',
  },
  scopeDelimiter: ',',
  profile: { token: 'nowhere' },
  person: { uid: 'user.id', displayName: 'user.name' },
} satisfies OAuth2Record
