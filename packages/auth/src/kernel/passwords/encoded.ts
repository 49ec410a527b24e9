import type { Argon2Parameters } from './argon2.ts'

/** Names of the stored formats, as `PASSWORD_HASHERS` has them. */
export type PasswordFormat = 'argon2' | 'pbkdf2_sha256' | 'pbkdf2_sha1' | 'bcrypt_sha256' | 'bcrypt' | 'scrypt' | 'md5'

/** A stored hash, taken apart. */
export type Encoded = SaltedHash | BcryptHash

/** `salt` and `hash` are the bytes of the computation. */
export type SaltedHash = { readonly salt: Buffer; readonly hash: Buffer } & (
  | { readonly format: 'argon2'; readonly parameters: Argon2Parameters }
  | { readonly format: 'pbkdf2_sha256' | 'pbkdf2_sha1'; readonly iterations: number }
  /** Cost as RFC 7914 names it. */
  | { readonly format: 'scrypt'; readonly cost: { readonly N: number; readonly r: number; readonly p: number } }
  | { readonly format: 'md5' }
)

/** A password hash in one of the bcrypt formats. */
export interface BcryptHash {
  readonly format: 'bcrypt_sha256' | 'bcrypt'
  /** From `$2b$` on. */
  readonly bcrypt: string
}

/** What a row may ask of the machine: several times what any release of the formats has written. */
const LIMITS = {
  argon2MemoryKib: 262_144,
  argon2MemoryPasses: 2_097_152,
  argon2Lanes: 16,
  iterations: 5_000_000,
  scryptBytes: 268_435_456,
  scryptWork: 16,
  bcryptCost: 15,
}
/** Of half the work of a hash of today, or less. */
const CHEAP = { argon2MemoryPasses: 19_456, iterations: 60_000, scryptWork: 32_768, bcryptCost: 7 }
const BASE64 = /^[A-Za-z0-9+/]{4,172}={0,2}$/

/** `null`: unusable, of an unknown format, damaged, or dearer than `LIMITS` allow. */
export function parseEncoded(encoded: string): Encoded | null {
  if (encoded.length > 512) return null
  const [format, ...parts] = encoded.split('$')
  switch (format) {
    case 'argon2':
      return argon2Of(parts)
    case 'pbkdf2_sha256':
      return pbkdf2Of(format, parts, 32)
    case 'pbkdf2_sha1':
      return pbkdf2Of(format, parts, 20)
    case 'scrypt':
      return scryptOf(parts)
    case 'bcrypt_sha256':
    case 'bcrypt':
      return bcryptOf(format, encoded.slice(format.length + 1))
    case 'md5':
      return md5Of(parts)
    default:
      return null
  }
}

/** Whether a wrong password would be told from an unknown user by how soon the answer comes. */
export function isCheap(stored: Encoded): boolean {
  switch (stored.format) {
    case 'argon2':
      return stored.parameters.memoryKib * stored.parameters.passes <= CHEAP.argon2MemoryPasses
    case 'pbkdf2_sha256':
    case 'pbkdf2_sha1':
      return stored.iterations <= CHEAP.iterations
    case 'scrypt':
      return stored.cost.N * stored.cost.r * stored.cost.p <= CHEAP.scryptWork
    case 'bcrypt_sha256':
    case 'bcrypt':
      return Number(stored.bcrypt.slice(4, 6)) <= CHEAP.bcryptCost
    case 'md5':
      return true
  }
}

function argon2Of(parts: readonly string[]): Encoded | null {
  // Version 16 is written as no version at all.
  const [variant, version, cost, salt, hash, ...others] = parts.length === 4 ? parts.toSpliced(1, 0, 'v=16') : parts
  const [, m, t, p] = /^m=(\d{1,7}),t=(\d{1,4}),p=(\d{1,3})$/.exec(cost ?? '') ?? []
  if (variant !== 'argon2id' && variant !== 'argon2i' && variant !== 'argon2d') return null
  if ((version !== 'v=19' && version !== 'v=16') || !isBase64(salt) || !isBase64(hash) || others.length > 0) return null
  const parameters: Argon2Parameters = {
    variant,
    version: version === 'v=19' ? 19 : 16,
    memoryKib: Number(m),
    passes: Number(t),
    lanes: Number(p),
  }
  const { memoryKib, passes, lanes } = parameters
  if (!(passes >= 1 && lanes >= 1 && lanes <= LIMITS.argon2Lanes && memoryKib >= 8 * lanes)) return null
  if (memoryKib > LIMITS.argon2MemoryKib || memoryKib * passes > LIMITS.argon2MemoryPasses) return null
  const [saltBytes, hashBytes] = [Buffer.from(salt, 'base64'), Buffer.from(hash, 'base64')]
  if (saltBytes.length < 8 || hashBytes.length < 12) return null
  return { format: 'argon2', parameters, salt: saltBytes, hash: hashBytes }
}

function pbkdf2Of(
  format: 'pbkdf2_sha256' | 'pbkdf2_sha1',
  [count, salt, hash, ...others]: readonly string[],
  length: number,
): Encoded | null {
  if (!/^[1-9]\d{0,7}$/.test(count ?? '') || !isBase64(hash) || salt === undefined || others.length > 0) return null
  const iterations = Number(count)
  const bytes = Buffer.from(hash, 'base64')
  if (iterations > LIMITS.iterations || bytes.length !== length) return null
  return { format, iterations, salt: Buffer.from(salt), hash: bytes }
}

function scryptOf([n, salt, blocks, lanes, hash, ...others]: readonly string[]): Encoded | null {
  const [N, r, p] = [n, blocks, lanes].map((number) => (/^[1-9]\d{0,7}$/.test(number ?? '') ? Number(number) : 0))
  if (!N || !r || !p || salt === undefined || !isBase64(hash) || others.length > 0) return null
  if (N < 2 || (N & (N - 1)) !== 0 || N * r * 128 > LIMITS.scryptBytes || p > LIMITS.scryptWork) return null
  const bytes = Buffer.from(hash, 'base64')
  return bytes.length < 16 ? null : { format: 'scrypt', cost: { N, r, p }, salt: Buffer.from(salt), hash: bytes }
}

function bcryptOf(format: 'bcrypt_sha256' | 'bcrypt', hash: string): Encoded | null {
  const [, cost] = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(hash) ?? []
  if (cost === undefined || Number(cost) < 4 || Number(cost) > LIMITS.bcryptCost) return null
  return { format, bcrypt: hash }
}

function md5Of([salt, hash, ...others]: readonly string[]): Encoded | null {
  if (salt === undefined || !/^[0-9a-f]{32}$/.test(hash ?? '') || others.length > 0) return null
  return { format: 'md5', salt: Buffer.from(salt), hash: Buffer.from(hash ?? '', 'hex') }
}

const isBase64 = (text: string | undefined): text is string => text !== undefined && BASE64.test(text)
