/** Replacement for secrets. */
const HIDDEN = '****'

/**
 * Matches bot tokens (also in URLs), account keys, bearer tokens and the user part of URLs. Lookbehinds make sure that a
 * long run of digits or letters is scanned once, not from each character.
 */
const SECRETS_IN_TEXT: readonly [pattern: RegExp, replacement: string][] = [
  [/(?<!\d)\d+(?::|%3A)[\w-]{30,}/gi, HIDDEN],
  // a personal access token; the key of an account page link
  [/\bgp_[\w-]{20,}/g, HIDDEN],
  [/(\/(?:invitation|confirm-email|key)\/)[^\s/"']{8,}/gi, `$1${HIDDEN}`],
  // 32 bytes as base64url: the owner token or an invitation's key
  [/(?<![\w-])[\w-]{43}(?![\w-])/g, HIDDEN],
  // an app's access or refresh token
  [/\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/g, HIDDEN],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, `$1 ${HIDDEN}`],
  [/(?<![a-z\d+.-])([a-z\d+.-]+:\/\/)[^\s/@"']+@/gi, `$1${HIDDEN}@`],
]

/** Names of members with secret values, e.g. `bot_token`, `apiKey`, `authorization`. */
const SECRET_NAME = /(token|secret|password|passwd|authorization|cookie|api[_-]?key|secret[_-]?key|private[_-]?key)s?$/i

const MAX_DEPTH = 8
const MAX_TEXT = 16_384

/** Removes secrets from a text and cuts it if it's very long. */
export function redactText(text: string): string {
  let clean = text
  for (const [pattern, replacement] of SECRETS_IN_TEXT) clean = clean.replace(pattern, replacement)
  // Cut last: half a secret wouldn't be recognized.
  return clean.length > MAX_TEXT ? `${clean.slice(0, MAX_TEXT)}… (${text.length} characters)` : clean
}

/**
 * Returns a copy for `JSON.stringify` without secrets: values of secret names are hidden, secrets in texts are removed,
 * and errors become plain objects with their causes. Never throws.
 */
export function redact(value: unknown): unknown {
  return clean(value, '', [])
}

function clean(value: unknown, name: string, above: readonly object[]): unknown {
  if (typeof value === 'string') return SECRET_NAME.test(name) && value !== '' ? HIDDEN : redactText(value)
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'function' || typeof value === 'symbol') return undefined
  if (typeof value !== 'object' || value === null) return value
  if (above.includes(value)) return '[circular]'
  if (above.length >= MAX_DEPTH) return '[deep]'
  try {
    return cleanObject(value, name, [...above, value])
  } catch {
    return '[unreadable]' // a getter or toJSON threw
  }
}

function cleanObject(value: object, name: string, above: readonly object[]): unknown {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`
  if (value instanceof Error) return cleanError(value, above)
  if (hasToJson(value)) return clean(value.toJSON(), name, above)
  if (Array.isArray(value)) return value.map((item: unknown) => clean(item, name, above))
  if (value instanceof Map) return clean(Object.fromEntries(value), name, above)
  if (value instanceof Set) return clean([...value], name, above)
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, clean(member, key, above)]))
}

const hasToJson = (value: object): value is { toJSON(): unknown } =>
  'toJSON' in value && typeof value.toJSON === 'function'

function cleanError(error: Error, above: readonly object[]): unknown {
  return {
    name: error.name,
    message: redactText(error.message),
    ...(error.stack !== undefined && { stack: redactText(error.stack) }),
    ...(error.cause !== undefined && { cause: clean(error.cause, 'cause', above) }),
    ...(error instanceof AggregateError && { errors: clean(error.errors, 'errors', above) }),
    ...Object.fromEntries(Object.entries(error).map(([key, member]) => [key, clean(member, key, above)])),
  }
}
