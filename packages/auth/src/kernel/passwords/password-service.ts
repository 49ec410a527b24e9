import { createHash, pbkdf2, scrypt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { sameInConstantTime } from '../crypto/constant-time.ts'
import { ALPHANUMERIC, randomText } from '../crypto/random-text.ts'
import type { Log, RandomBytes } from '../io.ts'
import { type Argon2, type Argon2Parameters, loadArgon2 } from './argon2.ts'
import { createBcrypt } from './bcrypt.ts'
import { type Encoded, isCheap, parseEncoded, type PasswordFormat, type SaltedHash } from './encoded.ts'
import type { Passwords } from './passwords.ts'
import { passwordProblems, type PasswordRuleOptions } from './rules.ts'
import { createWorkQueue } from './work-queue.ts'

/** Of new hashes. @see OWASP, "Password Storage Cheat Sheet": argon2id with 19 MiB, two passes, one lane */
export const TODAY: Argon2Parameters = { variant: 'argon2id', version: 19, memoryKib: 19_456, passes: 2, lanes: 1 }
const HASH_BYTES = 32
/** 22 letters and digits: 130 bits. The salt is their text, as in the other formats. */
const SALT_LENGTH = 22
const WAITING = 256
const UNUSABLE = '!'

/** What hashing and rules need. */
export interface PasswordOptions extends PasswordRuleOptions {
  readonly settings: PasswordRuleOptions['settings'] & {
    /** Stored formats that are taken. New hashes are argon2id. */
    readonly passwordHashers: readonly PasswordFormat[]
  }
  readonly random: RandomBytes
  readonly log?: Log
  /** Computes the hashes. Default: `loadArgon2`. */
  readonly argon2?: Argon2
  /** Of the machine. One is left to everything else, if there are two. */
  readonly cores?: number
}

/** Passwords as this package keeps them, and as it finds them in the tables of an older site. */
export function createPasswords(options: PasswordOptions): Passwords {
  const { random, settings } = options
  const cores = options.cores ?? availableParallelism()
  const queue = createWorkQueue({ atOnce: Math.max(1, cores - 1), waiting: WAITING })
  const bcrypt = createBcrypt()
  const today = async (password: string, salt: string): Promise<Buffer> =>
    (options.argon2 ?? (await loadArgon2(options.log)))(password, Buffer.from(salt), TODAY, HASH_BYTES)
  const dummySalt = randomText(random, ALPHANUMERIC, SALT_LENGTH)
  const dummy = (password: string): Promise<Buffer> => today(password, dummySalt)

  const matches = async (password: string, stored: Encoded): Promise<boolean> => {
    if ('salt' in stored) return sameInConstantTime(await rawHash(password, stored, options.argon2), stored.hash)
    const text = stored.format === 'bcrypt' ? password : createHash('sha256').update(password).digest('hex')
    return bcrypt.matches(text, stored.bcrypt)
  }

  return {
    async hash(password) {
      const salt = randomText(random, ALPHANUMERIC, SALT_LENGTH)
      const hash = await queue.run(() => today(password, salt))
      const { variant, version, memoryKib, passes, lanes } = TODAY
      const cost = `m=${memoryKib},t=${passes},p=${lanes}`
      return `argon2$${variant}$v=${version}$${cost}$${base64(Buffer.from(salt))}$${base64(hash)}`
    },
    async verify(password, encoded) {
      const stored = parseEncoded(encoded)
      if (!stored || !settings.passwordHashers.includes(stored.format)) {
        await queue.run(() => dummy(password))
        return { ok: false, rehash: false }
      }
      return queue.run(async () => {
        const isOurs = isOfToday(stored)
        const trimmed = isOurs ? password : trimBlanks(password)
        const ok = (await matches(password, stored)) || (trimmed !== password && (await matches(trimmed, stored)))
        if (!ok && isCheap(stored)) await dummy(password)
        return { ok, rehash: ok && !isOurs }
      })
    },
    async verifyDummy(password) {
      await queue.run(() => dummy(password))
    },
    unusable: () => `${UNUSABLE}${randomText(random, ALPHANUMERIC, 40)}`,
    isUsable: (encoded) => encoded !== '' && !encoded.startsWith(UNUSABLE),
    problems: (password, about) => passwordProblems(password, about, options),
  }
}

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

const isOfToday = (stored: Encoded): boolean =>
  stored.format === 'argon2' &&
  stored.hash.length === HASH_BYTES &&
  stored.salt.length >= 16 &&
  stored.parameters.variant === TODAY.variant &&
  stored.parameters.version === TODAY.version &&
  stored.parameters.memoryKib === TODAY.memoryKib &&
  stored.parameters.passes === TODAY.passes &&
  stored.parameters.lanes === TODAY.lanes

/** Those of Python's `strip`. */
const BLANK = /[\s\u001c-\u001f\u0085]/

/** Older sites took the blanks off both ends of a password before they hashed it. */
function trimBlanks(password: string): string {
  let [start, end] = [0, password.length]
  while (start < end && BLANK.test(password.charAt(start))) start += 1
  while (start < end && BLANK.test(password.charAt(end - 1))) end -= 1
  return password.slice(start, end)
}

const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')
