import { createHash } from 'node:crypto'
import type { OAuth2Record } from '../oauth2/record.ts'
import { textAt } from '../profile/profile-path.ts'

/** Drip. Profiles have no id: a digest of the address stands for it, and changes with it. */
export const drip = {
  id: 'drip',
  name: 'Drip',
  protocol: 'oauth2',
  source: 'https://developer.drip.com/#oauth',
  endpoints: {
    authorize: 'https://www.getdrip.com/oauth/authorize',
    token: 'https://www.getdrip.com/oauth/token',
    profile: 'https://api.getdrip.com/v2/user',
  },
  profile: { root: 'users[0]' },
  person: {
    uid: (profile) => {
      const email = textAt(profile, 'email').toLowerCase()
      return email === '' ? '' : createHash('sha256').update(email).digest('hex')
    },
    email: 'email',
    displayName: 'name',
  },
} satisfies OAuth2Record
