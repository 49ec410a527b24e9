import type { OAuth2Record } from '../oauth2/record.ts'
import { joinTexts } from '../profile/profile-values.ts'

/** Basecamp. */
export const basecamp = {
  id: 'basecamp',
  name: 'Basecamp',
  protocol: 'oauth2',
  source: 'https://github.com/basecamp/api/blob/master/sections/authentication.md',
  endpoints: {
    authorize: 'https://launchpad.37signals.com/authorization/new',
    token: 'https://launchpad.37signals.com/authorization/token?type=web_server',
    profile: 'https://launchpad.37signals.com/authorization.json',
  },
  authorize: { params: { type: 'web_server' } },
  person: {
    uid: 'identity.id',
    email: 'identity.email_address',
    username: 'identity.email_address',
    firstName: 'identity.first_name',
    lastName: 'identity.last_name',
    displayName: joinTexts('identity.first_name', 'identity.last_name'),
  },
} satisfies OAuth2Record
