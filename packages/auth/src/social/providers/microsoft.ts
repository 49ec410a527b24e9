import type { OAuth2Record } from '../oauth2/record.ts'

const PROPERTIES =
  'businessPhones,displayName,givenName,id,jobTitle,mail,mobilePhone,officeLocation,' +
  'preferredLanguage,surname,userPrincipalName,mailNickname,companyName'

/** Microsoft: Entra ID and personal accounts. Addresses of a tenant are what its administrator writes: never verified. */
export const microsoft = {
  id: 'microsoft',
  name: 'Microsoft',
  protocol: 'oauth2',
  source: 'https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-auth-code-flow',
  endpoints: {
    authorize: '{LOGIN_URL}/{TENANT}/oauth2/v2.0/authorize',
    token: '{LOGIN_URL}/{TENANT}/oauth2/v2.0/token',
    profile: '{GRAPH_URL}/v1.0/me',
  },
  settings: {
    TENANT: 'common',
    LOGIN_URL: 'https://login.microsoftonline.com',
    GRAPH_URL: 'https://graph.microsoft.com',
  },
  conforms: true,
  scopes: ['User.Read'],
  reauthenticate: { prompt: 'select_account' },
  profile: { query: { $select: PROPERTIES } },
  person: {
    uid: 'id',
    email: ['mail', 'userPrincipalName'],
    username: 'mailNickname',
    firstName: 'givenName',
    lastName: 'surname',
  },
} satisfies OAuth2Record
