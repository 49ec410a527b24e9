import type { CustomRecord } from '../custom/record.ts'

/** A provider for tests: whoever comes says who they are. Never for people. */
export const dummy = {
  id: 'dummy',
  name: 'Dummy',
  protocol: 'custom',
  source: 'OpenID Connect Core 1.0, section 5.1, has the members of its form',
  speaks: 'dummy',
  person: {
    uid: 'id',
    email: 'email',
    emailVerified: 'email_verified',
    username: 'username',
    firstName: 'first_name',
    lastName: 'last_name',
    phone: 'phone',
  },
} satisfies CustomRecord
