import type { Mfa } from '../second-factors.ts'
import { sameCode } from '../../kernel/crypto/codes.ts'
import { AuthError } from '../../errors.ts'
import type { AuthenticatorData } from '../mfa.ts'
import { derivedCodes } from './codes.ts'

/** A code of a set. */
interface RecoveryCode {
  readonly code: string
  readonly isUsed: boolean
  /** The data of the set once this code is used up. */
  used(): AuthenticatorData
}

/** All codes of a set; of one that was brought from elsewhere only those that are left. @throws {AuthError} `secret_unreadable` */
export const codesOf = (mfa: Mfa, data: AuthenticatorData): readonly RecoveryCode[] =>
  Array.isArray(data['migrated_codes']) ? migrated(mfa, data, data['migrated_codes']) : derived(mfa, data)

/**
 * The data once this code is used up, with the secrets sealed anew: by today's key, also those that an old site has left
 * clear. `null`: the code is wrong, or used. The caller holds the claim of the user.
 */
export function withRecoveryCodeUsed(mfa: Mfa, data: AuthenticatorData, code: string): AuthenticatorData | null {
  // All are compared: the time tells nothing of which one it is.
  const found = codesOf(mfa, data).filter((known) => sameCode(code, known.code) && !known.isUsed)
  return found[0]?.used() ?? null
}

function migrated(mfa: Mfa, data: AuthenticatorData, stored: readonly unknown[]): readonly RecoveryCode[] {
  const codes = stored.map((code) => mfa.adapter.decrypt(textOf(code)))
  return codes.map((code, index) => ({
    code,
    isUsed: false,
    used: () => ({ ...data, migrated_codes: codes.toSpliced(index, 1).map((left) => mfa.adapter.encrypt(left)) }),
  }))
}

function derived(mfa: Mfa, data: AuthenticatorData): readonly RecoveryCode[] {
  const { recoveryCodeCount: count, recoveryCodeDigits: digits } = mfa.kernel.settings.mfa
  const mask = maskOf(data)
  const seed = mfa.adapter.decrypt(textOf(data['seed']))
  return derivedCodes(seed, { count, digits }).map((code, index) => {
    const bit = 1n << BigInt(index)
    return {
      code,
      isUsed: (mask & bit) !== 0n,
      used: () => ({ ...data, seed: mfa.adapter.encrypt(seed), used_mask: Number(mask | bit) }),
    }
  })
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new AuthError('secret_unreadable')
  return value
}

/** Bit n: the code of index n is used. A mask whose bits JSON has not kept says that all are. */
function maskOf({ used_mask: mask = 0 }: AuthenticatorData): bigint {
  return typeof mask === 'number' && Number.isSafeInteger(mask) && mask >= 0 ? BigInt(mask) : ~0n
}
