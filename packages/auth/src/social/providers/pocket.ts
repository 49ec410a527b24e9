import type { OAuth1Record } from '../oauth1/record.ts'

/** Pocket, OAuth 1.0a. The id is what people sign in with there, an address as a rule: it tells no other. */
export const pocket = {
  id: 'pocket',
  name: 'Pocket',
  protocol: 'oauth1',
  source: 'https://getpocket.com/developer/docs/authentication',
  requestTokenUrl: 'https://getpocket.com/v3/oauth/request',
  authorizeUrl: 'https://getpocket.com/auth/authorize',
  accessTokenUrl: 'https://getpocket.com/v3/oauth/authorize',
  dialect: 'pocket',
  profile: 'token_reply',
  person: { uid: 'username', email: 'username' },
} satisfies OAuth1Record
