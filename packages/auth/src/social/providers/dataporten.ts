import type { JsonObject } from '../../kernel/settings/json-object.ts'
import type { OAuth2Record } from '../oauth2/record.ts'
import { textAt } from '../profile/profile-path.ts'

/** Of the Feide name, else of the address: what stands before the `@`. */
const username = (profile: JsonObject): string => {
  const ids: readonly unknown[] = Array.isArray(profile['userid_sec']) ? profile['userid_sec'] : []
  const feide = ids.find((id) => typeof id === 'string' && id.startsWith('feide:'))
  const text = typeof feide === 'string' ? feide.slice('feide:'.length) : textAt(profile, 'email')
  return text.split('@', 1)[0] ?? ''
}

/** Dataporten. */
export const dataporten = {
  id: 'dataporten',
  name: 'Dataporten',
  protocol: 'oauth2',
  source: 'https://docs.feide.no/reference/apis/userinfo.html',
  endpoints: {
    authorize: 'https://auth.dataporten.no/oauth/authorization',
    token: 'https://auth.dataporten.no/oauth/token',
    profile: 'https://auth.dataporten.no/userinfo',
  },
  profile: { audience: 'audience', root: 'user' },
  person: { uid: 'userid', email: 'email', username, displayName: 'name' },
} satisfies OAuth2Record
