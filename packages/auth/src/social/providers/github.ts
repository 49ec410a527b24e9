import type { OAuth2Record } from '../oauth2/record.ts'

/** GitHub, or GitHub Enterprise with `GITHUB_URL`. */
export const github = {
  id: 'github',
  name: 'GitHub',
  protocol: 'oauth2',
  source: 'https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps',
  endpoints: {
    authorize: '{WEB}/login/oauth/authorize',
    token: '{WEB}/login/oauth/access_token',
    profile: '{API}/user',
    email: '{API}/user/emails',
  },
  settings: {
    WEB: { setting: 'GITHUB_URL', default: 'https://github.com' },
    API: { setting: 'GITHUB_URL', as: '{value}/api/v3', default: 'https://api.github.com' },
  },
  emailScopes: ['user:email'],
  profile: { token: { scheme: 'token' } },
  further: [{ when: 'email_wanted', token: { scheme: 'token' }, into: 'emails', optional: [404] }],
  stored: { without: ['emails'] },
  person: {
    uid: 'id',
    email: 'email',
    emails: { list: 'emails', email: 'email', verified: 'verified', primary: 'primary' },
    username: 'login',
    displayName: 'name',
  },
} satisfies OAuth2Record
