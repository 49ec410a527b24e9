import { sameCode } from '../../kernel/crypto/codes.ts'
import { AuthError } from '../../errors.ts'

/** How codes are made. */
export interface TotpFormat {
  readonly digits: number
  /** Seconds. */
  readonly period: number
}

/** When a code is looked at. */
export interface TotpWindow extends TotpFormat {
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
export async function stepsOfCode(secret: string, code: string, window: TotpWindow): Promise<readonly number[]> {
  const { nowMs, tolerance, period } = window
  const present = Math.floor(nowMs / 1000 / period)
  const first = Math.max(0, present - tolerance)
  const steps = Array.from({ length: present + tolerance - first + 1 }, (_, index) => first + index)
  const codes = await codesOfSteps(secret, steps, window)
  return steps.filter((_, index) => sameCode(code, codes[index] ?? ''))
}

/** The library is loaded at the first call. */
async function codesOfSteps(secret: string, steps: readonly number[], { digits }: TotpFormat): Promise<string[]> {
  const { HOTP, Secret } = await import('otpauth')
  const key = keyOf(secret, (text) => Secret.fromBase32(text))
  return steps.map((counter) => HOTP.generate({ secret: key, algorithm: 'SHA1', digits, counter }))
}

function keyOf<Key extends { readonly bytes: Uint8Array }>(secret: string, parse: (text: string) => Key): Key {
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
