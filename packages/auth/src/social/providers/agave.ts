import type { OAuth2Record } from '../oauth2/record.ts'
import { joinTexts } from '../profile/profile-values.ts'

/**
 * Agave. The user name is the id of a profile there; its only other candidate, the second of the sign-up, is no id
 * (sites with links by it set `uid_field` to `create_time`).
 */
export const agave = {
  id: 'agave',
  name: 'Agave',
  protocol: 'oauth2',
  source: 'https://docs.tacc.cloud/',
  endpoints: { authorize: '{API_URL}/authorize', token: '{API_URL}/token', profile: '{API_URL}/profiles/v2/me' },
  settings: { API_URL: 'https://public.agaveapi.co' },
  scopes: ['PRODUCTION'],
  profile: { token: { bearer: true, query: 'access_token' }, root: 'result' },
  person: { uid: 'username', email: 'email', username: 'username', displayName: joinTexts('first_name', 'last_name') },
} satisfies OAuth2Record
