import type { Mfa } from '../second-factors.ts'
import { sameCode } from '../../kernel/crypto/codes.ts'
import { AuthError } from '../../errors.ts'
import type { AuthenticatorData } from '../mfa.ts'
import { deriveCodes } from './codes.ts'

/** A code of a set. */
interface RecoveryCode {
  readonly code: string
  readonly isUsed: boolean
  /** The data of the set once this code is used up. */
  used(): AuthenticatorData
}

/** All codes of a set; of one that was brought from elsewhere only those that are left. @throws {AuthError} `secret_unreadable` */
export const listRecoveryCodes = (mfa: Mfa, data: AuthenticatorData): readonly RecoveryCode[] =>
  Array.isArray(data['migrated_codes'])
    ? openMigratedCodes(mfa, data, data['migrated_codes'])
    : deriveCodeSet(mfa, data)

/**
 * Returns the data with this code used up and the secrets sealed with the current key, including clear ones of an old
 * site; `null` if the code is wrong or used. The caller holds the user's claim.
 */
export function useRecoveryCode(mfa: Mfa, data: AuthenticatorData, code: string): AuthenticatorData | null {
  // All are compared: the time tells nothing of which one it is.
  const found = listRecoveryCodes(mfa, data).filter((known) => sameCode(code, known.code) && !known.isUsed)
  return found[0]?.used() ?? null
}

function openMigratedCodes(mfa: Mfa, data: AuthenticatorData, stored: readonly unknown[]): readonly RecoveryCode[] {
  const codes = stored.map((code) => mfa.adapter.decrypt(requireCodeText(code)))
  return codes.map((code, index) => ({
    code,
    isUsed: false,
    used: () => ({ ...data, migrated_codes: codes.toSpliced(index, 1).map((left) => mfa.adapter.encrypt(left)) }),
  }))
}

function deriveCodeSet(mfa: Mfa, data: AuthenticatorData): readonly RecoveryCode[] {
  const { recoveryCodeCount: count, recoveryCodeDigits: digits } = mfa.kernel.settings.mfa
  const mask = parseUsedMask(data)
  const seed = mfa.adapter.decrypt(requireCodeText(data['seed']))
  return deriveCodes(seed, { count, digits }).map((code, index) => {
    const bit = 1n << BigInt(index)
    return {
      code,
      isUsed: (mask & bit) !== 0n,
      used: () => ({ ...data, seed: mfa.adapter.encrypt(seed), used_mask: Number(mask | bit) }),
    }
  })
}

function requireCodeText(value: unknown): string {
  if (typeof value !== 'string') throw new AuthError('secret_unreadable')
  return value
}

/** Parses the mask; bit n is set if the code of index n is used. A mask that JSON couldn't represent marks all as used. */
function parseUsedMask({ used_mask: mask = 0 }: AuthenticatorData): bigint {
  return typeof mask === 'number' && Number.isSafeInteger(mask) && mask >= 0 ? BigInt(mask) : ~0n
}
