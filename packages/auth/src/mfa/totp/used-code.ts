import { AuthError } from '../../errors.ts'
import { sameCode } from '../../kernel/crypto/codes.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { AuthenticatorData } from '../mfa.ts'
import type { Mfa } from '../second-factors.ts'

/** Steps more than a code can live are remembered, for clocks of nodes that are apart. */
const SPARE_STEPS = 8

/**
 * Creates the data of a TOTP authenticator. @param usedSteps Time steps whose codes are used up, including the setup
 * code
 */
export const totpData = (mfa: Mfa, secret: string, usedSteps: readonly number[]): AuthenticatorData => ({
  secret: mfa.adapter.encrypt(secret),
  used_steps: usedSteps,
})

/**
 * The time steps that a typed code belongs to; none, but not `null`, for the code that `totpInsecureBypassCode` lets
 * pass; `null`: it is wrong.
 * @throws {AuthError} `secret_unreadable`
 */
export async function matchTimeSteps(
  kernel: Kernel,
  secret: string,
  code: string,
  nowMs: number,
): Promise<readonly number[] | null> {
  const {
    totpDigits: digits,
    totpPeriod: period,
    totpTolerance: tolerance,
    totpInsecureBypassCode,
  } = kernel.settings.mfa
  if (totpInsecureBypassCode !== null && sameCode(code, totpInsecureBypassCode)) return []
  const steps = await findMatchingSteps(secret, code, { nowMs, digits, period, tolerance })
  return steps.length === 0 ? null : steps
}

/**
 * Returns the data with this code used up and the secret sealed with the current key, including a clear one of an old
 * site; `null` if the code is wrong or used. The caller holds the user's claim, so that of two parallel requests with
 * one code only one succeeds.
 */
export async function useTotpCode(
  mfa: Mfa,
  data: AuthenticatorData,
  code: string,
  nowMs: number,
): Promise<AuthenticatorData | null> {
  const secret = unsealTotpSecret(mfa, data)
  const steps = await matchTimeSteps(mfa.kernel, secret, code, nowMs)
  const used = usedSteps(data)
  if (steps === null || steps.some((step) => used.includes(step))) return null
  const kept = 2 * (2 * mfa.kernel.settings.mfa.totpTolerance + 1) + SPARE_STEPS
  return { ...data, ...totpData(mfa, secret, [...used, ...steps].slice(-kept)) }
}

function unsealTotpSecret(mfa: Mfa, { secret }: AuthenticatorData): string {
  if (typeof secret !== 'string') throw new AuthError('secret_unreadable')
  return mfa.adapter.decrypt(secret)
}

/** An old site's row has none. */
function usedSteps({ used_steps: steps }: AuthenticatorData): readonly number[] {
  return Array.isArray(steps) ? steps.filter((step) => typeof step === 'number') : []
}

/** How codes are made. */
interface TotpFormat {
  readonly digits: number
  /** Seconds. */
  readonly period: number
}

/** When a code is looked at. */
interface TotpWindow extends TotpFormat {
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number
  /** Periods before and after the present one whose codes are taken too. */
  readonly tolerance: number
}

/**
 * The time steps that this is the code of; none: it is wrong. The time that it takes tells nothing of the codes.
 * @param secret Base32, in any case. @param code As typed: blanks and dashes do not count.
 * @throws {AuthError} `secret_unreadable`
 * @see RFC 6238 sections 4.2 and 5.2
 */
export async function findMatchingSteps(secret: string, code: string, window: TotpWindow): Promise<readonly number[]> {
  const { nowMs, tolerance, period } = window
  const present = Math.floor(nowMs / 1000 / period)
  const first = Math.max(0, present - tolerance)
  const steps = Array.from({ length: present + tolerance - first + 1 }, (_, index) => first + index)
  const codes = await generateStepCodes(secret, steps, window)
  return steps.filter((_, index) => sameCode(code, codes[index] ?? ''))
}

/** The library is loaded at the first call. */
async function generateStepCodes(secret: string, steps: readonly number[], { digits }: TotpFormat): Promise<string[]> {
  const { HOTP, Secret } = await import('otpauth')
  const key = parseTotpKey(secret, (text) => Secret.fromBase32(text))
  return steps.map((counter) => HOTP.generate({ secret: key, algorithm: 'SHA1', digits, counter }))
}

function parseTotpKey<Key extends { readonly bytes: Uint8Array }>(secret: string, parse: (text: string) => Key): Key {
  let key: Key
  try {
    key = parse(secret)
  } catch {
    // The error of the library names a character of the secret.
    throw new AuthError('secret_unreadable')
  }
  if (key.bytes.length === 0) throw new AuthError('secret_unreadable')
  return key
}
