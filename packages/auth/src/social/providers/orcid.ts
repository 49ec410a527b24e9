import type { OAuth2Record } from '../oauth2/record.ts'

/** ORCID: the public record of somebody, or with `MEMBER_API` the one for members. */
export const orcid = {
  id: 'orcid',
  name: 'Orcid.org',
  protocol: 'oauth2',
  source: 'https://info.orcid.org/documentation/api-tutorials/api-tutorial-get-and-authenticated-orcid-id/',
  endpoints: {
    authorize: 'https://{BASE_DOMAIN}/oauth/authorize',
    token: 'https://{API}.{BASE_DOMAIN}/oauth/token',
    profile: 'https://{API}.{BASE_DOMAIN}/v3.0/{token.orcid}/record',
  },
  settings: {
    BASE_DOMAIN: 'orcid.org',
    API: { setting: 'MEMBER_API', choices: { true: 'api' }, default: 'pub' },
  },
  scopes: ['/authenticate'],
  profile: { token: 'nowhere', headers: { accept: 'application/orcid+json' } },
  person: {
    uid: 'orcid-identifier.path',
    email: 'person.emails.email[0].email',
    firstName: 'person.name.given-names.value',
    lastName: 'person.name.family-name.value',
  },
  variants: [
    {
      when: { setting: 'MEMBER_API', is: 'true' },
      use: { profile: { token: { query: 'access_token' }, headers: { accept: 'application/orcid+json' } } },
    },
  ],
} satisfies OAuth2Record
