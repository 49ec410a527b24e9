import type { OAuth1Record } from '../oauth1/record.ts'

/** Trello, OAuth 1.0a. */
export const trello = {
  id: 'trello',
  name: 'Trello',
  protocol: 'oauth1',
  source: 'https://developer.atlassian.com/cloud/trello/guides/rest-api/authorization/',
  requestTokenUrl: 'https://trello.com/1/OAuthGetRequestToken',
  authorizeUrl: 'https://trello.com/1/OAuthAuthorizeToken',
  accessTokenUrl: 'https://trello.com/1/OAuthGetAccessToken',
  scopes: ['read'],
  authorizeParams: { type: 'web_server', name: '{app.name}', expiration: 'never' },
  profile: { url: 'https://api.trello.com/1/members/me', proof: 'key_and_token' },
  person: { uid: 'id', email: 'email', username: 'username', displayName: 'name' },
} satisfies OAuth1Record
