import type { Sealer } from '../../kernel/crypto/crypto.ts'
import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'

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

/** In front of what is sealed. Sites that do not seal keep what providers gave them, which never begins so. */
const MARK = 'sealed:'

/** What a sealed text is: one cannot stand in the place of another. */
export type SealedPlace = 'app secret' | 'app key' | 'app setting' | 'provider token'

const sealContext = (place: SealedPlace): string => `gatepost ${place}`

/** A secret as it is stored; nothing stays nothing. */
export const sealText = (sealer: Sealer, text: string, place: SealedPlace): string =>
  text === '' ? '' : `${MARK}${sealer.seal(text, sealContext(place))}`

/**
 * The secret of what is stored; clear text, as an old site has it, is the secret itself.
 * @throws {AuthError} `secret_unreadable`: it is sealed, and not with our keys
 */
export const openText = (sealer: Sealer, stored: string, place: SealedPlace): string =>
  stored.startsWith(MARK) ? sealer.open(stored.slice(MARK.length), sealContext(place)) : stored
