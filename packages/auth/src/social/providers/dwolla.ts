import type { OAuth2Record } from '../oauth2/record.ts'

/** Dwolla: the token reply tells where the profile is. */
export const dwolla = {
  id: 'dwolla',
  name: 'Dwolla',
  protocol: 'oauth2',
  source: 'https://developers.dwolla.com/docs/oauth',
  endpoints: {
    authorize: 'https://{HOST}/oauth/v2/authenticate',
    token: 'https://{HOST}/oauth/v2/token',
    profile: '{token._links.account.href}',
  },
  settings: { HOST: { setting: 'ENVIRONMENT', choices: { sandbox: 'uat.dwolla.com' }, default: 'www.dwolla.com' } },
  scopeDelimiter: '|',
  profile: { headers: { accept: 'application/vnd.dwolla.v1.hal+json' }, hosts: ['dwolla.com'] },
  person: { uid: 'id', displayName: 'name' },
} satisfies OAuth2Record
