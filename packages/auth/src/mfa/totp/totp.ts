import { AuthError, InvalidInput } from '../../errors.ts'
import { sameCode } from '../../kernel/crypto/random.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { nullOnUniqueViolation } from '../../kernel/schema/in-transaction.sql.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import { addAuthenticator, notifyAdded, notifyRemoved, removeAuthenticators, requireVerifiedEmail } from '../changes.ts'
import type { Authenticator, AuthenticatorAdded, TotpFlow, TotpOffer, AuthenticatorData } from '../mfa.ts'
import type { Mfa } from '../second-factors.ts'

/** Session entry of the secret that was offered last. */
const KEY = 'mfa.totp.secret'
/** 160 bits, as RFC 4226 recommends (section 4, R6). */
const SECRET_BYTES = 20

/** Creates the flow of authenticator apps. */
export function totpFlow(mfa: Mfa): TotpFlow {
  const createTotpOffer = (request: Visit, user: User, secret: string): TotpOffer => ({
    secret,
    url: mfa.adapter.buildTotpUrl(request, user, secret),
  })
  return {
    async offer(request, user) {
      await requireVerifiedEmail(mfa.account, request, user)
      const secret = encodeBase32(mfa.kernel.random(SECRET_BYTES))
      request.session.set(KEY, secret)
      return createTotpOffer(request, user, secret)
    },
    offered(request, user) {
      const secret = readOfferedSecret(request)
      return Promise.resolve(secret === null ? null : createTotpOffer(request, user, secret))
    },
    activate: (request, user, code, guard) => activate(mfa, request, user, code, guard),
    deactivate: (request, user, authenticator) => deactivate(mfa, request, user, authenticator),
  }
}

function readOfferedSecret(request: Visit): string | null {
  const secret = request.session.get(KEY)
  return typeof secret === 'string' ? secret : null
}

/** Implements `activate` of the flow. @throws {AuthError} also `session_conflict` */
async function activate(
  mfa: Mfa,
  request: Visit,
  user: User,
  code: string,
  guard?: () => Promise<void>,
): Promise<AuthenticatorAdded> {
  await requireVerifiedEmail(mfa.account, request, user, 'code')
  const secret = readOfferedSecret(request)
  const steps = secret === null ? null : await matchTimeSteps(mfa.kernel, secret, code, request.nowMs)
  if (secret === null || steps === null) {
    throw new InvalidInput([mfa.account.adapter.validationError('incorrect_code', { param: 'code' })])
  }
  await guard?.()
  return request.transaction(async () => {
    request.session.delete(KEY)
    const data = totpData(mfa, secret, []) // setting up isn't a use: this code still works for a sign-in
    const added = await nullOnUniqueViolation(request.db, () =>
      addAuthenticator(mfa, request, user, { type: 'totp', data }),
    )
    if (added === null) throw new AuthError('flow_wrong_stage')
    await notifyAdded(mfa, request, user, added, 'totp_activated')
    return added
  })
}

async function deactivate(mfa: Mfa, request: Visit, user: User, authenticator: Authenticator): Promise<void> {
  await request.transaction(async () => {
    const removed = await removeAuthenticators(mfa, request, user, [authenticator])
    if (removed.length > 0) await notifyRemoved(mfa, request, user, 'totp_deactivated')
  })
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Encodes whole groups of 5 bytes as 8 characters each, without padding. @see RFC 4648 section 6 */
export function encodeBase32(bytes: Uint8Array): string {
  let text = ''
  let waiting = 0
  let bits = 0
  for (const byte of bytes) {
    waiting = ((waiting << 8) | byte) & 0xfff
    bits += 8
    for (; bits >= 5; bits -= 5) text += ALPHABET.charAt((waiting >> (bits - 5)) & 31)
  }
  return text
}

/** Number of time steps to remember beyond the life of a code, in case the clocks of nodes differ. */
const SPARE_STEPS = 8

/**
 * Creates the data of a TOTP authenticator. @param usedSteps Time steps whose codes are used up
 */
const totpData = (mfa: Mfa, secret: string, usedSteps: readonly number[]): AuthenticatorData => ({
  secret: mfa.adapter.encrypt(secret),
  used_steps: usedSteps,
})

/**
 * Returns the time steps that a typed code belongs to, or `null` if it's wrong. For `totpInsecureBypassCode`, returns
 * an empty list.
 * @throws {AuthError} `secret_unreadable`
 */
async function matchTimeSteps(
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
 * Returns the data with this code used up and the secret sealed with the current key, including an unsealed one of a
 * migrated site; `null` if the code is wrong or used. The caller holds the user's lock, so that of two parallel
 * requests with one code only one succeeds.
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

/** Returns the time steps whose codes are used up. Rows of migrated sites have none. */
function usedSteps({ used_steps: steps }: AuthenticatorData): readonly number[] {
  return Array.isArray(steps) ? steps.filter((step) => typeof step === 'number') : []
}

/** Parameters for generating codes. */
interface TotpFormat {
  readonly digits: number
  /** Seconds. */
  readonly period: number
}

/** Parameters for checking a code. */
interface TotpWindow extends TotpFormat {
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number
  /** Number of periods before and after the current one whose codes are accepted. */
  readonly tolerance: number
}

/**
 * Returns the time steps that this is the code of; none if it's wrong. Its timing reveals nothing about the codes.
 * @param secret Base32, in any case. @param code As typed. Spaces and punctuation are ignored.
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

/** Generates the codes of time steps. Loads the library on the first call. */
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
    // The library's error contains a character of the secret.
    throw new AuthError('secret_unreadable')
  }
  if (key.bytes.length === 0) throw new AuthError('secret_unreadable')
  return key
}
