import type { OAuth2Record } from '../oauth2/record.ts'
import { textAt } from '../profile/profile-path.ts'

/** Hubic. The id is the address, for there is no other: whoever is given the address later is given the account. */
export const hubic = {
  id: 'hubic',
  name: 'Hubic',
  protocol: 'oauth2',
  source: 'https://api.hubic.com/console/',
  endpoints: {
    authorize: 'https://api.hubic.com/oauth/auth',
    token: 'https://api.hubic.com/oauth/token',
    profile: 'https://api.hubic.com/1.0/account',
  },
  forcesHttpsCallback: true,
  profile: { token: { scheme: '{token.token_type}' } },
  person: {
    uid: 'email',
    email: 'email',
    username: (profile) => (textAt(profile, 'firstname') + textAt(profile, 'lastname')).toLowerCase(),
    firstName: 'firstname',
    lastName: 'lastname',
  },
} satisfies OAuth2Record
