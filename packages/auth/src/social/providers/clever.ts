import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import type { OAuth2Record } from '../oauth2/record.ts'
import { textAt, valueAt } from '../profile/profile-path.ts'

/** Details depend on the user's role at the school: the first role counts. */
const districtUsername = (profile: JsonObject): string => {
  const roles = valueAt(profile, 'data.roles')
  return textAt(isRecord(roles) ? Object.values(roles)[0] : undefined, 'credentials.district_username')
}

/** Clever: the first call tells the id, the second the details. */
export const clever = {
  id: 'clever',
  name: 'Clever',
  protocol: 'oauth2',
  source: 'https://dev.clever.com/docs/oauth-implementation',
  endpoints: {
    authorize: 'https://clever.com/oauth/authorize',
    token: 'https://clever.com/oauth/tokens',
    profile: '{API_URL}/v3.0/me',
  },
  settings: { API_URL: 'https://api.clever.com' },
  scopes: [
    'read:district_admins',
    'read:districts',
    'read:resources',
    'read:school_admins',
    'read:schools',
    'read:sections',
    'read:student_contacts',
    'read:students',
    'read:teachers',
    'read:user_id',
  ],
  further: [{ when: 'always', url: '{API_URL}/v3.0/users/{profile.data.id}' }],
  person: {
    uid: 'data.id',
    email: 'data.email',
    username: districtUsername,
    firstName: 'data.name.first',
    lastName: 'data.name.last',
  },
} satisfies OAuth2Record
