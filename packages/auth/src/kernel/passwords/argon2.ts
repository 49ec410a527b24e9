import { argon2 } from 'node:crypto'
import type { Log } from '../io.ts'

/** The variant and cost of an argon2 hash. @see RFC 9106 section 3.1 */
export interface Argon2Parameters {
  readonly variant: 'argon2d' | 'argon2i' | 'argon2id'
  readonly version: 16 | 19
  readonly memoryKib: number
  readonly passes: number
  readonly lanes: number
}

/** Computes a raw hash of `length` bytes. @throws {Error} `argon2_version` for version 16 without the native library */
export type Argon2 = (password: string, salt: Buffer, parameters: Argon2Parameters, length: number) => Promise<Buffer>

const VARIANTS = { argon2d: 0, argon2i: 1, argon2id: 2 } as const
const VERSIONS = { 16: 0, 19: 1 } as const

let loaded: Promise<Argon2> | undefined

/**
 * Loads the native library, which is two to three times as fast as Node's argon2. Falls back to Node's with a warning.
 * Both return the same bytes and run on libuv's thread pool.
 */
export const loadArgon2 = (log?: Log): Promise<Argon2> =>
  (loaded ??= nativeArgon2().catch((error: unknown) => {
    log?.warn("The native argon2 library couldn't be loaded, so hashing passwords takes two to three times as long", {
      error,
    })
    return nodeArgon2
  }))

async function nativeArgon2(): Promise<Argon2> {
  const { hashRaw } = await import('@node-rs/argon2')
  return (password, salt, { variant, version, memoryKib, passes, lanes }, length) =>
    hashRaw(password, {
      algorithm: VARIANTS[variant],
      version: VERSIONS[version],
      memoryCost: memoryKib,
      timeCost: passes,
      parallelism: lanes,
      outputLen: length,
      salt,
    })
}

/** Node's own argon2. */
export const nodeArgon2: Argon2 = (message, nonce, { variant, version, memoryKib, passes, lanes }, tagLength) =>
  new Promise((resolve, reject) => {
    if (version !== 19) return reject(new Error('argon2_version'))
    const options = { message, nonce, memory: memoryKib, passes, parallelism: lanes, tagLength }
    argon2(variant, options, (error, hash) => (error ? reject(error) : resolve(hash)))
  })
