import type { OAuth2Record } from '../oauth2/record.ts'

/** Gitea. */
export const gitea = {
  id: 'gitea',
  name: 'Gitea',
  protocol: 'oauth2',
  source: 'https://docs.gitea.com/development/oauth2-provider',
  endpoints: {
    authorize: '{GITEA_URL}/login/oauth/authorize',
    token: '{GITEA_URL}/login/oauth/access_token',
    profile: '{GITEA_URL}/api/v1/user',
  },
  settings: { GITEA_URL: 'https://gitea.com' },
  profile: { token: { scheme: 'token' } },
  person: { uid: 'id', email: 'email', username: 'login', displayName: 'name' },
} satisfies OAuth2Record
