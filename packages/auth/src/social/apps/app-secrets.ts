import type { Sealer } from '../../kernel/crypto/crypto.ts'
import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import { openText, sealText } from './sealed-text.ts'

/** What stands in place of a secret that is there. */
export const MASK = '****'

/** Members of an app's settings, however deep, that nobody is shown: keys and passwords, not certificates. */
const SECRET = /(?:^|_)(?:private_key|certificate_key|secret|secret_key|password|passphrase|api_key|access_token)$/i

type Change = (text: string) => string

/** A copy in which every secret text was changed. */
function mapSecrets(settings: JsonObject, change: Change): JsonObject {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, mapSecretValue(name, value, change)]),
  )
}

function mapSecretValue(name: string, value: unknown, change: Change): unknown {
  if (typeof value === 'string') return SECRET.test(name) && value !== '' ? change(value) : value
  if (Array.isArray(value)) return value.map((item: unknown) => mapSecretValue(name, item, change))
  return isRecord(value) ? mapSecrets(value, change) : value
}

/** As they are stored. */
export const sealSettings = (sealer: Sealer, settings: JsonObject): JsonObject =>
  mapSecrets(settings, (text) => sealText(sealer, text, 'app setting'))

/** What was stored, clear or sealed. @throws {AuthError} `secret_unreadable` */
export const openSettings = (sealer: Sealer, settings: JsonObject): JsonObject =>
  mapSecrets(settings, (text) => openText(sealer, text, 'app setting'))

/** As they are shown. */
export const maskSettings = (settings: JsonObject): JsonObject => mapSecrets(settings, () => MASK)

/** What was written in place of settings that were shown: a mask stands for the secret that was there. */
export function unmaskSettings(written: JsonObject, before: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(written).map(([name, value]) => [name, unmaskValue(value, before[name])]))
}

function unmaskValue(value: unknown, before: unknown): unknown {
  if (value === MASK && typeof before === 'string') return before
  if (Array.isArray(value)) {
    return value.map((item: unknown, at) => unmaskValue(item, Array.isArray(before) ? before[at] : undefined))
  }
  return isRecord(value) ? unmaskSettings(value, isRecord(before) ? before : {}) : value
}
