import type { OAuth2Record } from '../oauth2/record.ts'

/** Salesforce; `key` of the app is the address of the instance. */
export const salesforce = {
  id: 'salesforce',
  name: 'Salesforce',
  protocol: 'oauth2',
  source: 'https://help.salesforce.com/s/articleView?id=sf.remoteaccess_oauth_web_server_flow.htm',
  endpoints: {
    authorize: '{app_key}/services/oauth2/authorize',
    token: '{app_key}/services/oauth2/token',
    profile: '{app_key}/services/oauth2/userinfo',
  },
  scopes: ['id', 'openid'],
  reauthenticate: { approval_prompt: 'force' },
  profile: { token: { query: 'oauth_token' } },
  person: {
    uid: 'user_id',
    email: 'email',
    emailVerified: 'email_verified',
    username: 'preferred_username',
    firstName: 'given_name',
    lastName: 'family_name',
  },
} satisfies OAuth2Record
