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

/** Stage of a login that waits until a phone is verified. */
export const PHONE_STAGE = 'verify_phone'

/** A code that was sent to a phone, and the phone's user. */
export interface PendingPhoneCode {
  readonly process: CodeProcess
  /** The login that waits for it; `null`: somebody signed in changes or verifies their number. */
  readonly login: Login | null
  /** `null`: a sign-up with a phone that is in use. */
  readonly user: User | null
  readonly phone: string
}

/** The process of a code by text message, one for each session. */
export function phoneCodes(kernel: Kernel): CodeProcesses {
  const { phoneVerificationTimeout, phoneVerificationMaxAttempts } = kernel.settings.account
  return codeProcesses({
    key: 'account_phone_verification',
    timeoutSeconds: phoneVerificationTimeout,
    maxAttempts: phoneVerificationMaxAttempts,
  })
}

/** What begins a verification of a phone. */
export interface PhoneCodeStart {
  /** The user who owns or will own the number; `null`: a login without a user. */
  readonly user: User | null
  readonly phone: string
  readonly signup: boolean
  /** Whether a login waits for it. */
  readonly stage: boolean
  /** Another account has the number, and the visitor must not see it: no code is right. */
  readonly hidden?: boolean
  /** Over the limit: the visitor may ask for it later. */
  readonly unsent?: boolean
}

/** Takes the slot of a message that a visitor waits for. @throws {AuthError} `rate_limited` */
export const takeVerifyPhoneSlot = (request: Visit, phone: string): Promise<Extract<RateResult, { allowed: true }>> =>
  takeSlot(request.kernel.limits, 'verify_phone', { ip: request.clientIp, key: phone }, request.nowMs)

/** Sends a code and waits for it; its limit has been taken. */
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

/** Sends the code of a process to its phone; if the phone is in use, notifies its owner instead. */
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

/** Result of a try. `ended`: the tries are used up, the process is gone, and the login that waited for it. */
export type PhoneCodeTried = { readonly kind: 'verified' } | { readonly kind: 'ended' }

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
): Promise<PhoneCodeTried> {
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
    // The person may still take another number, as far as tries and changes are left.
    phoneCodes(account.kernel).replace(request, { ...process, failedAttempts: process.failedAttempts + 1 })
    throw new InvalidInput([account.adapter.validationError('phone_taken', { param: 'code' })])
  }
  await account.adapter.addMessage(request, 'success', 'account/messages/phone_verified', { phone })
}

/** Whether this visitor may ask for another code. */
export const canResendPhoneCode = (kernel: Kernel, { process }: PendingPhoneCode): boolean =>
  process.resendCount < kernel.settings.account.phoneVerificationSupportsResend

/**
 * Sends another code; the one before is dead.
 * @returns `false`: not (any more) offered
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

/** Writes the counted process before anything leaves, so that two requests cannot use the same allowance. */
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
