import type { OAuth2Record } from '../oauth2/record.ts'

/** GitLab. */
export const gitlab = {
  id: 'gitlab',
  name: 'GitLab',
  protocol: 'oauth2',
  source: 'https://docs.gitlab.com/api/oauth2/',
  endpoints: {
    authorize: '{GITLAB_URL}/oauth/authorize',
    token: '{GITLAB_URL}/oauth/token',
    profile: '{GITLAB_URL}/api/v4/user',
    issuer: '{GITLAB_URL}',
  },
  settings: { GITLAB_URL: 'https://gitlab.com' },
  conforms: true,
  scopes: ['read_user'],
  profile: { token: { query: 'access_token' } },
  person: { uid: 'id', email: 'email', username: 'username', displayName: 'name' },
} satisfies OAuth2Record
