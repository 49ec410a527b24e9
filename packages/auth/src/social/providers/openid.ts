import type { Openid2Record } from '../openid2/record.ts'

/** OpenID 2.0, of the provider whose address a visitor gives. */
export const openid = {
  id: 'openid',
  name: 'OpenID',
  protocol: 'openid2',
  source: 'https://openid.net/specs/openid-authentication-2_0.html',
  person: {
    uid: 'claimed_id',
    email: 'email',
    displayName: 'name',
    firstName: 'first_name',
    lastName: 'last_name',
  },
} satisfies Openid2Record
