import { createHash, pbkdf2, scrypt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { AuthError } from '../../errors.ts'
import { equalsConstantTime } from '../crypto/crypto.ts'
import { ALPHANUMERIC, randomText } from '../crypto/random.ts'
import type { Log, RandomBytes } from '../io.ts'
import { type Argon2, type Argon2Parameters, loadArgon2 } from './argon2.ts'
import { createIdleThread, type IdleThreadOptions } from './idle-thread.ts'
import { type Passwords, trimPassword } from './passwords.ts'
import { passwordProblems, type PasswordRuleOptions } from './rules.ts'

/**
 * The parameters of new hashes.
 * @see OWASP, "Password Storage Cheat Sheet": argon2id with 19 MiB, two passes, one lane
 */
export const TODAY: Argon2Parameters = { variant: 'argon2id', version: 19, memoryKib: 19_456, passes: 2, lanes: 1 }
const HASH_BYTES = 32
/** 22 letters and digits, which is 130 bits. The salt is the text itself, as in the other formats. */
const SALT_LENGTH = 22
const WAITING = 256
const UNUSABLE = '!'

/** The inputs of `createPasswords`. */
export interface PasswordOptions extends PasswordRuleOptions {
  readonly settings: PasswordRuleOptions['settings'] & {
    /** The accepted formats of stored hashes. New hashes are always argon2id. */
    readonly passwordHashers: readonly PasswordFormat[]
  }
  readonly random: RandomBytes
  readonly log?: Log
  /** Computes the hashes. Default: `loadArgon2`. */
  readonly argon2?: Argon2
  /** The number of CPU cores. All but one are used for hashing, and at least one. */
  readonly cores?: number
}

/** Creates the service that hashes and verifies passwords, including hashes in the formats of existing Django sites. */
export function createPasswords(options: PasswordOptions): Passwords {
  const { random, settings } = options
  const cores = options.cores ?? availableParallelism()
  const queue = createWorkQueue({ atOnce: Math.max(1, cores - 1), waiting: WAITING })
  const bcrypt = createBcrypt()
  const today = async (password: string, salt: string): Promise<Buffer> =>
    (options.argon2 ?? (await loadArgon2(options.log)))(password, Buffer.from(salt), TODAY, HASH_BYTES)
  const dummySalt = randomText(random, ALPHANUMERIC, SALT_LENGTH)
  const dummy = async (password: string): Promise<void> => {
    for (const form of listForms(password)) await today(form, dummySalt)
  }

  const unusable = (): string => `${UNUSABLE}${randomText(random, ALPHANUMERIC, 40)}`

  const matches = async (password: string, stored: Encoded): Promise<boolean> => {
    if ('salt' in stored) return equalsConstantTime(await rawHash(password, stored, options.argon2), stored.hash)
    const text = stored.format === 'bcrypt' ? password : createHash('sha256').update(password).digest('hex')
    return bcrypt.matches(text, stored.bcrypt)
  }

  return {
    async hash(password) {
      const trimmed = trimPassword(password)
      if (trimmed === '') return unusable()
      const salt = randomText(random, ALPHANUMERIC, SALT_LENGTH)
      const hash = await queue.run(() => today(trimmed, salt))
      const { variant, version, memoryKib, passes, lanes } = TODAY
      const cost = `m=${memoryKib},t=${passes},p=${lanes}`
      return `argon2$${variant}$v=${version}$${cost}$${base64(Buffer.from(salt))}$${base64(hash)}`
    },
    async verify(password, encoded) {
      const stored = parseEncoded(encoded)
      if (!stored || !settings.passwordHashers.includes(stored.format)) {
        await queue.run(() => dummy(password))
        return { ok: false, rehash: false, isWeak: false }
      }
      return queue.run(async () => {
        const trimmed = trimPassword(password)
        for (const form of listForms(password)) {
          if (!(await matches(form, stored))) continue
          return { ok: true, rehash: form !== trimmed || !isCurrentFormat(stored), isWeak: isCheap(stored) }
        }
        if (isCheap(stored)) await dummy(password)
        return { ok: false, rehash: false, isWeak: false }
      })
    },
    async verifyDummy(password) {
      await queue.run(() => dummy(password))
    },
    unusable,
    isUsable: (encoded) => encoded !== '' && !encoded.startsWith(UNUSABLE),
    problems: (password, about) => passwordProblems(trimPassword(password), about, options),
  }
}

/** Returns the forms of a typed password to compare: as typed, then trimmed. */
const listForms = (password: string): ReadonlySet<string> => new Set([password, trimPassword(password)])

async function rawHash(password: string, stored: SaltedHash, argon2?: Argon2): Promise<Buffer> {
  const { salt, hash } = stored
  switch (stored.format) {
    case 'argon2':
      return (argon2 ?? (await loadArgon2()))(password, salt, stored.parameters, hash.length)
    case 'pbkdf2_sha256':
    case 'pbkdf2_sha1':
      return new Promise((resolve, reject) => {
        const digest = stored.format === 'pbkdf2_sha256' ? 'sha256' : 'sha1'
        pbkdf2(password, salt, stored.iterations, hash.length, digest, (error, key) => {
          if (error) reject(error)
          else resolve(key)
        })
      })
    case 'scrypt':
      return new Promise((resolve, reject) => {
        const { N, r, p } = stored.cost
        scrypt(password, salt, hash.length, { N, r, p, maxmem: 160 * N * r + 1_048_576 }, (error, key) => {
          if (error) reject(error)
          else resolve(key)
        })
      })
    case 'md5':
      return createHash('md5').update(salt).update(password).digest()
  }
}

const isCurrentFormat = (stored: Encoded): boolean =>
  stored.format === 'argon2' &&
  stored.hash.length === HASH_BYTES &&
  stored.salt.length >= 16 &&
  stored.parameters.variant === TODAY.variant &&
  stored.parameters.version === TODAY.version &&
  stored.parameters.memoryKib === TODAY.memoryKib &&
  stored.parameters.passes === TODAY.passes &&
  stored.parameters.lanes === TODAY.lanes

const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')

/** bcrypt in JavaScript, which takes about half a second of CPU time. */
interface Bcrypt {
  /** @param hash A well-formed hash, starting with `$2b$` or the like. @throws {Error} `thread_died` */
  matches(text: string, hash: string): Promise<boolean>
}

/** The published files end in `.js`. */
const WORKER = import.meta.url.endsWith('.ts')
  ? new URL('./bcrypt-worker.ts', import.meta.url)
  : new URL('./bcrypt-worker.js', import.meta.url)

/** Creates bcrypt on its own thread. */
export function createBcrypt(options: IdleThreadOptions = {}): Bcrypt {
  const thread = createIdleThread<readonly [text: string, hash: string], boolean>(WORKER, options)
  return { matches: (text, hash) => thread.ask([text, hash]) }
}

/** A first-in, first-out queue with limited concurrency, for expensive work. */
interface WorkQueue {
  /**
   * Runs `work` when it's its turn.
   * @throws {AuthError} `overloaded` (503, with Retry-After) if the queue is full; also whatever `work` throws
   */
  run<T>(work: () => Promise<T>): Promise<T>
}

/** Creates a queue. @param limits How many tasks run at once, and how many more may wait. */
export function createWorkQueue(limits: { readonly atOnce: number; readonly waiting: number }): WorkQueue {
  let running = 0
  const waiting: (() => void)[] = []
  const turn = (): Promise<void> => {
    if (running < limits.atOnce) {
      running += 1
      return Promise.resolve()
    }
    if (waiting.length >= limits.waiting) throw new AuthError('overloaded', { headers: { 'Retry-After': '5' } })
    // A finished task passes its slot to the one that has waited longest, so `running` doesn't change.
    return new Promise((resolve) => waiting.push(resolve))
  }
  const leave = (): void => {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
  return {
    async run(work) {
      await turn()
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}

/** The names of the stored formats, as in `PASSWORD_HASHERS`. */
type PasswordFormat = 'argon2' | 'pbkdf2_sha256' | 'pbkdf2_sha1' | 'bcrypt_sha256' | 'bcrypt' | 'scrypt' | 'md5'

/** A parsed stored hash. */
type Encoded = SaltedHash | BcryptHash

/** A hash computed here from `salt`; both are raw bytes. */
type SaltedHash = { readonly salt: Buffer; readonly hash: Buffer } & (
  | { readonly format: 'argon2'; readonly parameters: Argon2Parameters }
  | { readonly format: 'pbkdf2_sha256' | 'pbkdf2_sha1'; readonly iterations: number }
  /** The cost, as named in RFC 7914. */
  | { readonly format: 'scrypt'; readonly cost: { readonly N: number; readonly r: number; readonly p: number } }
  | { readonly format: 'md5' }
)

interface BcryptHash {
  readonly format: 'bcrypt_sha256' | 'bcrypt'
  /** The bcrypt hash, starting with `$2b$` or the like. */
  readonly bcrypt: string
}

/** The maximum cost of a stored hash: several times what any release of the formats has used. */
const LIMITS = {
  argon2MemoryKib: 262_144,
  argon2MemoryPasses: 2_097_152,
  argon2Lanes: 16,
  iterations: 5_000_000,
  scryptBytes: 268_435_456,
  scryptWork: 16,
  bcryptCost: 15,
}
/** The cost of half the work of a current hash. */
const CHEAP = { argon2MemoryPasses: 19_456, iterations: 60_000, scryptWork: 32_768, bcryptCost: 7 }
const BASE64 = /^[A-Za-z0-9+/]{4,172}={0,2}$/

/**
 * Parses a stored hash; `null` if it's unusable, malformed, of an unknown format, or more expensive than `LIMITS`
 * allows.
 */
export function parseEncoded(encoded: string): Encoded | null {
  if (encoded.length > 512) return null
  const [format, ...parts] = encoded.split('$')
  switch (format) {
    case 'argon2':
      return parseArgon2(parts)
    case 'pbkdf2_sha256':
      return parsePbkdf2(format, parts, 32)
    case 'pbkdf2_sha1':
      return parsePbkdf2(format, parts, 20)
    case 'scrypt':
      return parseScrypt(parts)
    case 'bcrypt_sha256':
    case 'bcrypt':
      return parseBcrypt(format, encoded.slice(format.length + 1))
    case 'md5':
      return parseMd5(parts)
    default:
      return null
  }
}

/** Returns whether a hash is so cheap that timing distinguishes a wrong password from an unknown user. */
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

function parseArgon2(parts: readonly string[]): Encoded | null {
  // Version 16 is written without a version.
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

function parsePbkdf2(
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

function parseScrypt([n, salt, blocks, lanes, hash, ...others]: readonly string[]): Encoded | null {
  const [N, r, p] = [n, blocks, lanes].map((number) => (/^[1-9]\d{0,7}$/.test(number ?? '') ? Number(number) : 0))
  if (!N || !r || !p || salt === undefined || !isBase64(hash) || others.length > 0) return null
  if (N < 2 || (N & (N - 1)) !== 0 || N * r * 128 > LIMITS.scryptBytes || p > LIMITS.scryptWork) return null
  const bytes = Buffer.from(hash, 'base64')
  return bytes.length < 16 ? null : { format: 'scrypt', cost: { N, r, p }, salt: Buffer.from(salt), hash: bytes }
}

function parseBcrypt(format: 'bcrypt_sha256' | 'bcrypt', hash: string): Encoded | null {
  const [, cost] = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(hash) ?? []
  if (cost === undefined || Number(cost) < 4 || Number(cost) > LIMITS.bcryptCost) return null
  return { format, bcrypt: hash }
}

function parseMd5([salt, hash, ...others]: readonly string[]): Encoded | null {
  if (salt === undefined || !/^[0-9a-f]{32}$/.test(hash ?? '') || others.length > 0) return null
  return { format: 'md5', salt: Buffer.from(salt), hash: Buffer.from(hash ?? '', 'hex') }
}

const isBase64 = (text: string | undefined): text is string => text !== undefined && BASE64.test(text)
