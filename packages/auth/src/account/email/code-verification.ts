import { InvalidInput } from '../../errors.ts'
import { sameCode } from '../../kernel/crypto/random.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Login } from '../../kernel/login.ts'
import type { User, UserId } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import { type CodeProcess, codeProcesses, type CodeProcesses } from '../code-process.ts'
import type { EmailAddress } from '../email-address.ts'
import { takeSendSlot } from '../login/code-delivery.ts'
import { canAddAddress } from './clean-address.ts'
import { claimAddresses } from './mirror.ts'
import {
  emitEmailSent,
  mailWithoutUser,
  notifyEmailSent,
  takeConfirmEmailSlot,
  type TakenSlot,
  TRAPPED,
} from './verification.ts'

/** Key of the login stage that waits until an address is verified. */
export const EMAIL_STAGE = 'verify_email'

/** A pending code for an address, and the user or login it's for. */
export interface PendingEmailCode {
  readonly process: CodeProcess
  /** The login waiting for the code; `null` if a signed-in user is verifying an address. */
  readonly login: Login | null
  /** `null` for a sign-up with an address already in use. */
  readonly user: User | null
  readonly email: string
}

/** Returns the processes of emailed verification codes. */
export function emailCodes(kernel: Kernel): CodeProcesses {
  const { emailVerificationByCodeTimeout, emailVerificationByCodeMaxAttempts } = kernel.settings.account
  return codeProcesses({
    key: 'account_email_verification_code',
    timeoutSeconds: emailVerificationByCodeTimeout,
    maxAttempts: emailVerificationByCodeMaxAttempts,
  })
}

/** Input of `startEmailCode`. */
interface EmailCodeStart {
  /** The user who will own the address. If `null`, every code is wrong. */
  readonly user: User | null
  readonly email: string
  readonly signup: boolean
  /** Whether a login waits for the code. */
  readonly stage: boolean
}

/**
 * Starts waiting for a code and sends it, within the rate limit. @throws {AuthError} `rate_limited`, as `takeSendSlot`
 */
export async function startEmailCode(account: Account, request: Visit, start: EmailCodeStart): Promise<void> {
  const { user, email, signup, stage } = start
  const isSent = await takeSendSlot(account, request, () => takeConfirmEmailSlot(request, email))
  const process = emailCodes(account.kernel).start(request, {
    email,
    phone: null,
    userId: user?.id ?? null,
    code: account.adapter.generateEmailVerificationCode(),
    data: { signup, stage, owner: user?.id ?? null, trapped: request.notes.get(TRAPPED) === true },
  })
  if (isSent) await mailEmailCode(account, request, process, user)
}

/** Mails the code of a process to its address. Without a user, mails the notice of `mailWithoutUser` instead. */
export async function mailEmailCode(
  account: Account,
  request: Visit,
  process: CodeProcess,
  user: User | null,
): Promise<void> {
  const { code, data } = process
  const email = process.email ?? ''
  const signup = data['signup'] === true
  if (data['trapped'] === true) request.notes.set(TRAPPED, true)
  await request.transaction(async () => {
    if (user === null || process.userId === null) return mailWithoutUser(account, request, email)
    const rows = await account.emails.ofUser(request.db, user.id)
    const emailAddress = rows.find((row) => row.email === email) ?? null
    await account.adapter.sendConfirmationMail(request, { emailAddress, email, user, key: null, code }, signup)
    await emitEmailSent(account, request, { email, key: null }, signup)
  })
  await notifyEmailSent(account, request, email, signup)
}

/** Returns the visitor's pending code, or `null` if there is none or it belongs to another user. */
export async function pendingEmailCode(account: Account, request: Visit): Promise<PendingEmailCode | null> {
  const process = emailCodes(account.kernel).current(request)
  if (process === null || process.email === null) return null
  const owner = (process.data['owner'] ?? null) as UserId | null // written by `startEmailCode`
  const { email } = process
  if (process.data['stage'] !== true) {
    const { user } = request
    return user !== null && user.id === owner ? { process, login: null, user, email } : null
  }
  const login = await account.login.at(request, EMAIL_STAGE)
  if (login === null || (login.user?.id ?? null) !== owner) return null
  return { process, login, user: login.user, email }
}

/** Result of an attempt. */
export type EmailCodeTried =
  | { readonly kind: 'verified'; readonly address: EmailAddress }
  /** No attempts are left: the process has ended, and so has the login that waited for it. */
  | { readonly kind: 'ended' }

/**
 * Checks a code and counts the attempt.
 * @throws {InvalidInput} `incorrect_code`; `email_taken` if another user has verified the address in the meantime
 * @throws {AuthError} `session_conflict`
 */
export async function tryEmailCode(
  account: Account,
  request: Visit,
  pending: PendingEmailCode,
  code: string,
): Promise<EmailCodeTried> {
  const { process, user, login } = pending
  const tried = await emailCodes(account.kernel).attempt(request, process, code)
  if (tried === 'right' && user !== null)
    return { kind: 'verified', address: await verifyByCode(account, request, pending, user) }
  const last = tried === 'last_wrong'
  if (last && login !== null) account.login.drop(request)
  if (user !== null) {
    const rejected = { request, user, last_attempt: last }
    await account.signals.emit('email_verification_code_rejected', 'CodeProcess', rejected)
  }
  if (last) return { kind: 'ended' }
  throw new InvalidInput([account.adapter.validationError('incorrect_code', { param: 'code' })])
}

/** Marks the address that the code was sent to as verified, and stores it first if necessary. */
async function verifyByCode(
  account: Account,
  request: Visit,
  { process, email }: PendingEmailCode,
  user: User,
): Promise<EmailAddress> {
  const taken = new InvalidInput([account.adapter.validationError('email_taken', { param: 'code' })])
  const values = { max: account.kernel.settings.account.maxEmailAddresses ?? 0 }
  const full = new InvalidInput([account.adapter.validationError('max_email_addresses', { param: 'code', values })])
  try {
    return await request.transaction(async () => {
      await claimAddresses(request, user)
      const rows = await account.emails.ofUser(request.db, user.id)
      const found = rows.find((row) => row.email === email) ?? null
      if (found === null && !canAddAddress(account.kernel, rows)) throw full
      const unique = account.kernel.settings.account.uniqueEmail
      if (unique && (await account.emails.isVerifiedElsewhere(request.db, email, found?.id ?? null))) throw taken
      const row = { userId: user.id, email, verified: false, primary: false }
      const address = found ?? (await account.emails.insert(request.db, row))
      if (found === null) {
        await request.afterCommit(() =>
          account.signals.emit('email_added', 'User', { request, user, email_address: address }),
        )
      }
      if (!(await account.adapter.confirmEmail(request, address))) throw taken
      return (await account.emails.byId(request.db, address.id)) ?? address
    })
  } catch (error) {
    // The visitor can still switch to another address while attempts and changes are left.
    if (error === taken)
      emailCodes(account.kernel).replace(request, { ...process, failedAttempts: process.failedAttempts + 1 })
    throw error
  }
}

/** Returns whether the visitor may request another code. */
export const canResendEmailCode = (kernel: Kernel, { process }: PendingEmailCode): boolean =>
  process.resendCount < kernel.settings.account.emailVerificationSupportsResend

/**
 * Sends another code and invalidates the previous one.
 * @returns `false` if resending isn't offered (any more)
 * @throws {AuthError} `rate_limited`; `session_conflict`
 */
export async function resendEmailCode(account: Account, request: Visit, pending: PendingEmailCode): Promise<boolean> {
  if (!canResendEmailCode(account.kernel, pending)) return false
  const taken = await takeConfirmEmailSlot(request, pending.email)
  const code = account.adapter.generateEmailVerificationCode()
  const process = { ...pending.process, code, resendCount: pending.process.resendCount + 1 }
  await saveEmailCodeProcess(request, process, taken)
  await mailEmailCode(account, request, process, pending.user)
  return true
}

/**
 * Saves the counted attempt before anything is sent, so that two requests can't use the same allowance. Releases the
 * rate limit slot if the request has to be retried. @throws {AuthError} `session_conflict`
 */
export async function saveEmailCodeProcess(request: Visit, process: CodeProcess, taken: TakenSlot): Promise<void> {
  emailCodes(request.kernel).replace(request, process)
  try {
    await request.session.commit()
  } catch (error) {
    await taken.giveBack()
    throw error
  }
}

/**
 * Checks a code without using it up; a wrong code counts as an attempt. The attempt is committed before the result is
 * returned, so parallel guesses are all counted.
 * @throws {InvalidInput} `incorrect_code`; `email_taken` if another user has verified the address in the meantime
 * @throws {AuthError} `session_conflict`
 */
export async function checkEmailCode(
  account: Account,
  request: Visit,
  pending: PendingEmailCode,
  code: string,
): Promise<'right' | Extract<EmailCodeTried, { readonly kind: 'ended' }>> {
  const { process, user, email } = pending
  if (user === null || process.userId === null || !sameCode(code, process.code)) {
    await tryEmailCode(account, request, pending, code) // throws, unless it was the last attempt
    return { kind: 'ended' }
  }
  const own = await account.emails.find(request.db, user.id, email)
  const unique = account.kernel.settings.account.uniqueEmail
  const taken = unique && (await account.emails.isVerifiedElsewhere(request.db, email, own?.id ?? null))
  const checks = Number(process.data['checks'] ?? 0) + 1
  const failedAttempts = process.failedAttempts + (taken ? 1 : 0)
  emailCodes(account.kernel).replace(request, { ...process, failedAttempts, data: { ...process.data, checks } })
  await request.session.commit()
  if (taken) throw new InvalidInput([account.adapter.validationError('email_taken', { param: 'code' })])
  return 'right'
}
