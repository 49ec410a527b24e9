import type { OAuth2Record } from '../oauth2/record.ts'

/** Disqus. */
export const disqus = {
  id: 'disqus',
  name: 'Disqus',
  protocol: 'oauth2',
  source: 'https://disqus.com/api/docs/auth/',
  endpoints: {
    authorize: 'https://disqus.com/api/oauth/2.0/authorize/',
    token: 'https://disqus.com/api/oauth/2.0/access_token/',
    profile: 'https://disqus.com/api/3.0/users/details.json',
  },
  scopes: ['read'],
  emailScopes: ['email'],
  scopeDelimiter: ',',
  profile: {
    token: { query: 'access_token' },
    query: { api_key: '{client_id}', api_secret: '{client_secret}' },
    root: 'response',
  },
  person: { uid: 'id', email: 'email', username: 'username', displayName: 'name' },
} satisfies OAuth2Record
