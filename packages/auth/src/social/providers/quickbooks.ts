import type { OAuth2Record } from '../oauth2/record.ts'

/** QuickBooks. */
export const quickbooks = {
  id: 'quickbooks',
  name: 'QuickBooks',
  protocol: 'oauth2',
  source: 'https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/oauth-2.0',
  endpoints: {
    authorize: 'https://appcenter.intuit.com/connect/oauth2',
    token: 'https://oauth.platform.intuit.com/oauth2/v1/tokens/bearer',
    profile: 'https://{HOST}.platform.intuit.com/v1/openid_connect/userinfo',
  },
  settings: { HOST: { setting: 'SANDBOX', choices: { true: 'sandbox-accounts' }, default: 'accounts' } },
  scopes: ['openid', 'com.intuit.quickbooks.accounting', 'profile', 'phone'],
  emailScopes: ['email'],
  stored: { fromCallback: ['realmId'] },
  person: { uid: 'sub', email: 'email' },
} satisfies OAuth2Record
