import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'

/** Whether a text can stand in a path as it is. RFC 3986 section 2.3, without `.` and `..` */
export const isPathSegment = (text: string): boolean => /^[A-Za-z0-9_.~-]{1,191}$/.test(text) && !/^\.{1,2}$/.test(text)

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '')
const isFlag = (value: unknown): boolean => typeof value === 'boolean'

/** Rules by lower-case setting name: check and message. */
const RULES: Readonly<Record<string, readonly [is: (value: unknown) => boolean, said: string]>> = {
  scope: [(value) => typeof value === 'string' || isTexts(value), 'must be a list of scopes.'],
  auth_params: [isRecord, 'must be an object.'],
  oauth_pkce_enabled: [isFlag, 'must be true or false.'],
  verified_email: [(value) => isFlag(value) || isTexts(value), 'must be true, false or a list of domains.'],
  email_authentication: [isFlag, 'must be true or false.'],
  hidden: [isFlag, 'must be true or false.'],
  endpoints: [isRecord, 'must be an object.'],
  server_url: [(value) => typeof value === 'string', 'must be an address.'],
  uid_field: [(value) => typeof value === 'string', 'must be text.'],
}

/** What is wrong with settings that every provider reads, of an app or of a provider: sentences that name the path. */
export function appSettingProblems(settings: JsonObject, path: string): readonly string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    const rule = RULES[name.toLowerCase()]
    if (rule === undefined || value === null || rule[0](value)) return []
    return [`${path}.${name} ${rule[1]}`]
  })
}
