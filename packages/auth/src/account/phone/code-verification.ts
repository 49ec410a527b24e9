import type { Kernel } from '../../kernel/kernel.ts'
import type { Account } from '../account.ts'
import { AuthError, InvalidInput } from '../../errors.ts'
import type { RateResult } from '../../kernel/limits/rate-limits.ts'
import { takeSlot } from '../../kernel/limits/take.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User, UserId } from '../../kernel/users/user.ts'
import { type CodeProcess, type CodeProcesses, codeProcesses } from '../code-process.ts'
import { lockClaim } from '../contact-stores.sql.ts'
import { TRAPPED } from '../email/verification.ts'
import type { Login } from '../../kernel/login.ts'

/** Key of the login stage that waits until a phone is verified. */
export const PHONE_STAGE = 'verify_phone'

/** A pending code for a phone, and the user or login it's for. */
export interface PendingPhoneCode {
  readonly process: CodeProcess
  /** The login waiting for the code; `null` if a signed-in user is changing or verifying their number. */
  readonly login: Login | null
  /** `null` for a login without a user, such as a sign-up with a phone already in use. */
  readonly user: User | null
  readonly phone: string
}

/** Returns the processes of phone verification codes. */
export function phoneCodes(kernel: Kernel): CodeProcesses {
  const { phoneVerificationTimeout, phoneVerificationMaxAttempts } = kernel.settings.account
  return codeProcesses({
    key: 'account_phone_verification',
    timeoutSeconds: phoneVerificationTimeout,
    maxAttempts: phoneVerificationMaxAttempts,
  })
}

/** Input of `startPhoneCode`. */
export interface PhoneCodeStart {
  /** The user who owns or will own the number; `null` for a login without a user. */
  readonly user: User | null
  readonly phone: string
  readonly signup: boolean
  /** Whether a login waits for the code. */
  readonly stage: boolean
  /** Whether another account has the number, which must not be revealed: every code is then wrong. */
  readonly hidden?: boolean
  /** Doesn't send the code, because of the rate limit. The visitor can request it later. */
  readonly unsent?: boolean
}

/** Takes a slot of the `verify_phone` limit for a message to `phone`. @throws {AuthError} `rate_limited` */
export const takeVerifyPhoneSlot = (request: Visit, phone: string): Promise<Extract<RateResult, { allowed: true }>> =>
  takeSlot(request.kernel.limits, 'verify_phone', { ip: request.clientIp, key: phone }, request.nowMs)

/** Starts waiting for a code and sends it. The caller has taken the rate limit slot. */
export async function startPhoneCode(account: Account, request: Visit, start: PhoneCodeStart): Promise<void> {
  const { user, phone, signup, stage, hidden = false, unsent = false } = start
  const process = phoneCodes(account.kernel).start(request, {
    email: null,
    phone,
    userId: hidden ? null : (user?.id ?? null),
    code: account.adapter.generatePhoneVerificationCode(),
    data: { signup, stage, owner: user?.id ?? null, trapped: request.notes.get(TRAPPED) === true },
  })
  if (!unsent) await sendPhoneCode(account, request, process, user)
}

/** Sends the code of a process to its phone. Without a user, sends a notice that the number is in use or unknown. */
export async function sendPhoneCode(
  account: Account,
  request: Visit,
  process: CodeProcess,
  user: User | null,
): Promise<void> {
  const phone = process.phone ?? ''
  const { signup, trapped, stage } = process.data
  if (user !== null && process.userId !== null) {
    await send(account.kernel, () => account.adapter.sendVerificationCodeSms(request, user, phone, process.code))
  } else if (trapped !== true) {
    const isLogin = stage === true && signup !== true
    await send(account.kernel, () =>
      isLogin
        ? account.adapter.sendUnknownAccountSms(request, phone)
        : account.adapter.sendAccountAlreadyExistsSms(request, phone),
    )
  }
  await account.adapter.addMessage(request, 'info', 'account/messages/phone_verification_sent', { phone })
}

/** Sends a text message; a failure is logged but not shown, because it would reveal whether an account exists. */
async function send(kernel: Kernel, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (error instanceof AuthError && error.code === 'not_implemented_hook') throw error
    kernel.log.error('A text message could not be sent', { error })
  }
}

/** Returns the visitor's pending code, or `null` if there is none or it belongs to another user. */
export async function pendingPhoneCode(account: Account, request: Visit): Promise<PendingPhoneCode | null> {
  const process = phoneCodes(account.kernel).current(request)
  if (process === null || process.phone === null) return null
  const owner = (process.data['owner'] ?? null) as UserId | null // written by `startPhoneCode`
  const { phone } = process
  if (process.data['stage'] !== true) {
    const { user } = request
    return user !== null && user.id === owner ? { process, login: null, user, phone } : null
  }
  const login = await account.login.at(request, PHONE_STAGE)
  if (login === null || (login.user?.id ?? null) !== owner) return null
  return { process, login, user: login.user, phone }
}

/** Result of an attempt. `ended` means no attempts are left: the process and the login waiting for it have ended. */
export type PhoneCodeResult = { readonly kind: 'verified' } | { readonly kind: 'ended' }

/**
 * Checks a code. Counts attempts across pages and API; the last wrong one ends the process.
 * @throws {InvalidInput} `incorrect_code`; `phone_taken` if another user has verified the number in the meantime
 * @throws {AuthError} `session_conflict`
 */
export async function tryPhoneCode(
  account: Account,
  request: Visit,
  pending: PendingPhoneCode,
  code: string,
): Promise<PhoneCodeResult> {
  const { process, user, login } = pending
  const tried = await phoneCodes(account.kernel).attempt(request, process, code)
  if (tried === 'right' && user !== null) {
    await verifyPhone(account, request, pending, user)
    return { kind: 'verified' }
  }
  if (tried !== 'last_wrong') {
    throw new InvalidInput([account.adapter.validationError('incorrect_code', { param: 'code' })])
  }
  if (login !== null) account.login.drop(request)
  return { kind: 'ended' }
}

async function verifyPhone(
  account: Account,
  request: Visit,
  { process, phone, login }: PendingPhoneCode,
  user: User,
): Promise<void> {
  const verified = await request.transaction(async () => {
    await lockClaim(account.kernel, request.db, 'phone', phone)
    return login === null
      ? account.adapter.setPhone(request, user, phone, true)
      : account.adapter.setPhoneVerified(request, user, phone)
  })
  if (!verified) {
    // The visitor can still switch to another number while attempts and changes are left.
    phoneCodes(account.kernel).replace(request, { ...process, failedAttempts: process.failedAttempts + 1 })
    throw new InvalidInput([account.adapter.validationError('phone_taken', { param: 'code' })])
  }
  await account.adapter.addMessage(request, 'success', 'account/messages/phone_verified', { phone })
}

/** Returns whether the visitor may request another code. */
export const canResendPhoneCode = (kernel: Kernel, { process }: PendingPhoneCode): boolean =>
  process.resendCount < kernel.settings.account.phoneVerificationSupportsResend

/**
 * Sends another code and invalidates the previous one.
 * @returns `false` if resending isn't offered (any more)
 * @throws {AuthError} `rate_limited`; `session_conflict`
 */
export async function resendPhoneCode(account: Account, request: Visit, pending: PendingPhoneCode): Promise<boolean> {
  if (!canResendPhoneCode(account.kernel, pending)) return false
  const taken = await takeVerifyPhoneSlot(request, pending.phone)
  const code = account.adapter.generatePhoneVerificationCode()
  const process = { ...pending.process, code, resendCount: pending.process.resendCount + 1 }
  await savePhoneCodeProcess(request, process, taken)
  await sendPhoneCode(account, request, process, pending.user)
  return true
}

/**
 * Saves the counted attempt before anything is sent, so that two requests can't use the same allowance. Releases the
 * rate limit slot if the request has to be retried. @throws {AuthError} `session_conflict`
 */
export async function savePhoneCodeProcess(
  request: Visit,
  process: CodeProcess,
  taken: Extract<RateResult, { allowed: true }>,
): Promise<void> {
  phoneCodes(request.kernel).replace(request, process)
  try {
    await request.session.commit()
  } catch (error) {
    await taken.giveBack()
    throw error
  }
}
