import type { OAuth2Record } from '../oauth2/record.ts'

/** Atlassian. */
export const atlassian = {
  id: 'atlassian',
  name: 'Atlassian',
  protocol: 'oauth2',
  source: 'https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/',
  endpoints: {
    authorize: 'https://auth.atlassian.com/authorize',
    token: 'https://api.atlassian.com/oauth/token',
    profile: 'https://api.atlassian.com/me',
  },
  conforms: true,
  scopes: ['read:me'],
  authorize: { params: { audience: 'api.atlassian.com', prompt: 'consent' } },
  person: {
    uid: 'account_id',
    email: 'email',
    emailVerified: 'email_verified',
    username: 'nickname',
    displayName: 'name',
  },
} satisfies OAuth2Record
