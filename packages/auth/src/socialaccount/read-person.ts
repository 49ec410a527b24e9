import type { JsonObject } from '../settings/json-object.ts'
import type { ProviderEmail, ProviderIdentity } from './exchange.ts'
import type { ProfileEmailList, ProfileMapping, ProfileValue } from './profile-mapping.ts'
import { textAt, valueAt } from './profile-path.ts'
import type { SocialApp } from './social-apps.ts'

/** Who somebody is by a profile; a member that is not there is empty. */
export function readPerson(
  mapping: ProfileMapping,
  profile: JsonObject,
  app: Pick<SocialApp, 'settings'>,
): Omit<ProviderIdentity, 'extraData' | 'tokens' | 'replay'> {
  const text = (value: ProfileValue | undefined): string => (value === undefined ? '' : textOf(profile, value))
  const uidField = app.settings['uid_field']
  const email = text(mapping.email)
  const verified = mapping.emailVerified !== undefined && isTrue(valueOf(profile, mapping.emailVerified))
  const first: readonly ProviderEmail[] = email === '' ? [] : [{ email, verified, primary: true }]
  const listed = mapping.emails === undefined ? [] : listedEmails(profile, mapping.emails)
  const phone = text(mapping.phone)
  return {
    uid: typeof uidField === 'string' && uidField !== '' ? textAt(profile, uidField) : text(mapping.uid),
    username: text(mapping.username),
    firstName: text(mapping.firstName),
    lastName: text(mapping.lastName),
    name: text(mapping.displayName),
    emails: [...first.filter((one) => !listed.some((each) => each.email === one.email)), ...listed],
    phone: phone === '' ? null : { phone, verified: false },
  }
}

function valueOf(profile: JsonObject, value: ProfileValue): unknown {
  if (typeof value === 'function') return value(profile)
  const paths = typeof value === 'string' ? [value] : value
  return paths.map((path) => valueAt(profile, path)).find((found) => found !== undefined && found !== null)
}

function textOf(profile: JsonObject, value: ProfileValue): string {
  if (typeof value === 'function') return textAt({ found: value(profile) }, 'found')
  return textAt(profile, ...(typeof value === 'string' ? [value] : value))
}

const isTrue = (value: unknown): boolean => value === true || value === 'true'

function listedEmails(profile: JsonObject, mapping: ProfileEmailList): readonly ProviderEmail[] {
  const list = valueAt(profile, mapping.list)
  if (!Array.isArray(list)) return []
  const at = (item: unknown, path: string | undefined): unknown =>
    path === undefined ? undefined : valueAt(item, path)
  return list
    .map((item: unknown) => ({
      email: typeof item === 'string' ? item : textAt(item, mapping.email ?? ''),
      verified: isTrue(at(item, mapping.verified)),
      primary: isTrue(at(item, mapping.primary)),
    }))
    .filter(({ email }) => email !== '')
}
