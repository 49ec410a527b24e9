import type { Sealer } from '../../kernel/crypto/crypto.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'

/** Shown instead of a secret. */
export const MASK = '****'

/** Names of secret members at any depth of an app's settings: keys and passwords, but not certificates. */
const SECRET = /(?:^|_)(?:private_key|certificate_key|secret|secret_key|password|passphrase|api_key|access_token)$/i

type Change = (text: string) => string

/** Returns a copy with every secret text changed. */
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

/** Seals the secrets in settings, for storage, unless an old site reads them too. */
export const sealSettings = (storage: SecretStorage, settings: JsonObject): JsonObject =>
  mapSecrets(settings, (text) => sealText(storage, text, 'app setting'))

/** Opens the secrets in stored settings. @throws {AuthError} `secret_unreadable` */
export const openSettings = (sealer: Sealer, settings: JsonObject): JsonObject =>
  mapSecrets(settings, (text) => openText(sealer, text, 'app setting'))

/** Masks the secrets in settings, for display. */
export const maskSettings = (settings: JsonObject): JsonObject => mapSecrets(settings, () => MASK)

/** Returns edited settings in which each mask is replaced with the text it hid. */
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

/** Prefix of sealed texts. Unsealed ones of migrated sites were issued by providers and never start with it. */
const MARK = 'sealed:'

/** Kinds of sealed texts. A text sealed as one kind can't be opened as another. */
export type SealedPlace = 'app secret' | 'app key' | 'app setting' | 'provider token'

const sealContext = (place: SealedPlace): string => `gatepost ${place}`

/** What is needed to store a secret. */
export type SecretStorage = Pick<Kernel, 'sealer'> & { readonly oldSite: Pick<Kernel['oldSite'], 'isInUse'> }

/** Seals a secret for storage, unless an old site reads it too. An empty one stays empty. */
export const sealText = ({ sealer, oldSite }: SecretStorage, text: string, place: SealedPlace): string =>
  text === '' || oldSite.isInUse ? text : `${MARK}${sealer.seal(text, sealContext(place))}`

/**
 * Opens a stored secret. Returns an unsealed one of a migrated site as it is.
 * @throws {AuthError} `secret_unreadable` if it isn't sealed with one of our keys
 */
export const openText = (sealer: Sealer, stored: string, place: SealedPlace): string =>
  stored.startsWith(MARK) ? sealer.open(stored.slice(MARK.length), sealContext(place)) : stored

/** Returns a stored secret in the form in which it would be stored now. @throws {AuthError} `secret_unreadable` */
export const convertText = (storage: SecretStorage, stored: string, place: SealedPlace): string =>
  stored.startsWith(MARK) !== storage.oldSite.isInUse
    ? stored
    : sealText(storage, openText(storage.sealer, stored, place), place)

/** Seals a stored text with the newest key. Clear text stays. @throws {AuthError} `secret_unreadable` */
export const resealText = (sealer: Sealer, stored: string, place: SealedPlace): string =>
  stored.startsWith(MARK) ? `${MARK}${sealer.reseal(stored.slice(MARK.length), sealContext(place))}` : stored

/** Seals the secrets in stored settings with the newest key. @throws {AuthError} `secret_unreadable` */
export const resealSettings = (sealer: Sealer, settings: JsonObject): JsonObject =>
  mapSecrets(settings, (text) => resealText(sealer, text, 'app setting'))
