import type { OAuth2Record } from '../oauth2/record.ts'

/** Amazon Cognito; `DOMAIN` is the address of the user pool. It refuses underscores in callbacks: hence the other slug. */
export const amazonCognito = {
  id: 'amazon_cognito',
  name: 'Amazon Cognito',
  protocol: 'oauth2',
  source: 'https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-userpools-server-contract-reference.html',
  endpoints: {
    authorize: '{DOMAIN}/oauth2/authorize',
    token: '{DOMAIN}/oauth2/token',
    profile: '{DOMAIN}/oauth2/userInfo',
  },
  settings: { DOMAIN: {} },
  scopes: ['openid', 'profile', 'email'],
  person: {
    uid: 'sub',
    email: 'email',
    emailVerified: 'email_verified',
    firstName: 'given_name',
    lastName: 'family_name',
  },
} satisfies OAuth2Record
