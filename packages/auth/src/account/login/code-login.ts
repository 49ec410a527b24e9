import type { Account } from '../account.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { InvalidInput } from '../../errors.ts'
import { isEmailSyntax } from '../../kernel/forms/form.ts'
import { takeSlot } from '../../kernel/limits/take.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { CodeProcess } from '../code-process.ts'
import { loadEmailAddresses } from '../email/mirror.ts'
import { foldText } from '../email/clean-address.ts'
import { mailWithoutUser } from '../email/verification.ts'
import type { Login, LoginOutcome } from '../../kernel/login.ts'
import { cleanPhoneNumber } from '../phone/change.ts'
import {
  notifyCodeSent,
  sendExistsText,
  sendLoginCode,
  sendUnknownAccount,
  CODE_STAGE,
  findLoginCode,
  codeStageData,
  loginCodes,
  type CodeTarget,
} from './code-delivery.ts'

/** A request for a code by email address or phone; the other is empty. `param` is the field of errors. */
export interface CodeRequest {
  readonly email: string
  readonly phone: string
  readonly param?: string
}

/**
 * Starts a login by code. Responds the same if the user is unknown; every code is then wrong.
 * @throws {InvalidInput} `required`, `select_only_one`, `invalid`, `invalid_phone`, `too_many_login_attempts`;
 *   `unknown_email` and `unknown_phone` only without `preventEnumeration`
 */
export async function requestLoginCode(
  account: Account,
  request: Visit,
  requested: CodeRequest,
): Promise<LoginOutcome> {
  const param = requested.param ?? (requested.phone !== '' && requested.email === '' ? 'phone' : 'email')
  const wrong = (code: string): InvalidInput => new InvalidInput([account.adapter.validationError(code, { param })])
  if (requested.email === '' && requested.phone === '') throw wrong('required')
  if (requested.email !== '' && requested.phone !== '')
    throw new InvalidInput([account.adapter.validationError('select_only_one')])
  const email = requested.email === '' ? null : foldText(requested.email)
  if (email !== null && !isEmailSyntax(email)) throw wrong('invalid')
  const phone = requested.phone === '' ? null : await cleanPhoneNumber(account, request, requested.phone)
  const subject = { ip: request.clientIp, key: phone ?? email ?? '' }
  const taken = await account.kernel.limits.take('request_login_code', subject, request.nowMs)
  if (!taken.allowed) throw wrong('too_many_login_attempts')
  const user = await findCodeRecipient(account, request, { email, phone })
  if (user === null && account.kernel.settings.account.preventEnumeration === false)
    throw wrong(phone === null ? 'unknown_email' : 'unknown_phone')
  return account.login.begin(request, { user, email, phone, stageData: { [CODE_STAGE]: { initiatedByUser: true } } })
}

async function findCodeRecipient(account: Account, request: Visit, { email, phone }: CodeTarget): Promise<User | null> {
  const user =
    phone === null
      ? (await account.kernel.users.byEmail(request.db, email ?? '', { preferVerified: true, activeOnly: true }))[0]
      : await account.adapter.getUserByPhone(request, phone)
  return user?.isActive === true ? user : null
}

/** Result of checking a code. */
export type CodeResult =
  | { readonly kind: 'confirmed'; readonly outcome: LoginOutcome }
  | { readonly kind: 'wrong' }
  /** No attempts or no time left: the login has ended. */
  | { readonly kind: 'ended' }

/**
 * Checks a code. A correct one verifies the address or phone it was sent to.
 * @throws {AuthError} `session_conflict` if another attempt came first; nothing has changed then
 */
export async function confirmLoginCode(
  account: Account,
  request: Visit,
  login: Login,
  code: string,
): Promise<CodeResult> {
  const process = findLoginCode(request, login)
  if (process === null) {
    endCodeLogin(account, request)
    return { kind: 'ended' }
  }
  // Drops the login along with a correct code, so that no other request finds the login without its code.
  const tried = await loginCodes(account.kernel).attempt(request, process, code, () => account.login.drop(request))
  if (tried === 'right' && login.user !== null)
    return { kind: 'confirmed', outcome: await continueCodeLogin(account, request, login, process) }
  const event = { request, last_attempt: tried === 'last_wrong' }
  if (login.user !== null)
    await account.signals.emit('login_code_rejected', 'CodeProcess', { ...event, user: login.user })
  if (tried === 'wrong') return { kind: 'wrong' }
  endCodeLogin(account, request)
  return { kind: 'ended' }
}

async function continueCodeLogin(
  account: Account,
  request: Visit,
  login: Login,
  process: CodeProcess,
): Promise<LoginOutcome> {
  const { user, redirectUrl, emailVerification } = login
  const { email, phone } = process
  const used = process.phone === null ? { email: process.email ?? '' } : { phone: process.phone }
  await account.login.record(request, { method: 'code', ...used }, user)
  if (user !== null) await markContactVerified(account, request, user, process)
  // A code that the visitor requested was the whole first step: from here on it's a normal login with all other stages.
  if (!codeStageData(login).initiatedByUser) return account.login.resume(request, login)
  return account.login.begin(request, { user, email, phone, redirectUrl, emailVerification })
}

async function markContactVerified(account: Account, request: Visit, user: User, process: CodeProcess): Promise<void> {
  await request.transaction(async () => {
    if (process.phone !== null) {
      await account.adapter.setPhoneVerified(request, user, process.phone)
      return
    }
    const rows = await loadEmailAddresses(account, request, user)
    const address = rows.find(({ email }) => foldText(email) === foldText(process.email ?? ''))
    if (address?.verified === false) await account.adapter.confirmEmail(request, address)
  })
}

/** Returns whether another code may be requested. */
export const canResend = (kernel: Kernel, process: CodeProcess): boolean =>
  process.resendCount < kernel.settings.account.loginByCodeSupportsResend

/**
 * Sends another code and invalidates the previous one. Without a user, sends the notice of `sendWithoutUser` instead.
 * @returns `false` if resending isn't offered (any more)
 * @throws {AuthError} `rate_limited`; `session_conflict`
 */
export async function resendLoginCode(account: Account, request: Visit, login: Login): Promise<boolean> {
  const process = findLoginCode(request, login)
  if (process === null || !canResend(account.kernel, process)) return false
  const { email, phone } = process
  const subject = { ip: request.clientIp, key: foldText(phone ?? email ?? '') }
  const taken = await takeSlot(account.kernel.limits, 'request_login_code', subject, request.nowMs)
  const { user, signup } = login
  const code = user === null ? '' : createLoginCode(account, { email, phone })
  loginCodes(account.kernel).replace(request, { ...process, code, resendCount: process.resendCount + 1 })
  await commitOrReleaseSlot(request, taken)
  if (user === null) await sendWithoutUser(account, request, { email, phone }, signup)
  else await sendLoginCode(account, request, { user, email, phone, code })
  await notifyCodeSent(account, request, { email: login.email ?? email, phone })
  return true
}

/** Commits, or releases the slot if the request has to be retried. @throws {AuthError} `session_conflict` */
async function commitOrReleaseSlot({ session }: Visit, taken: Awaited<ReturnType<typeof takeSlot>>): Promise<void> {
  try {
    await session.commit()
  } catch (error) {
    await taken.giveBack()
    throw error
  }
}

/** Input of `startLoginCode`. */
interface LoginCodeStart {
  readonly user: User | null
  /** Recipient of the code. */
  readonly target: CodeTarget
  /** Recipient as shown to the visitor. */
  readonly shown: CodeTarget
  readonly signup?: boolean
  /** Doesn't send the code, because of the rate limit. The visitor can request it later. */
  readonly unsent?: boolean
}

/** Starts waiting for a code and sends it. */
export async function startLoginCode(
  account: Account,
  request: Visit,
  { user, target, shown, signup = false, unsent = false }: LoginCodeStart,
): Promise<void> {
  const code = user === null ? '' : createLoginCode(account, target)
  loginCodes(account.kernel).start(request, { ...target, userId: user?.id ?? null, code })
  if (unsent) return
  if (user === null) await sendWithoutUser(account, request, target, signup)
  else await sendLoginCode(account, request, { ...target, user, code })
  await notifyCodeSent(account, request, shown)
}

/** Explains to the owner of the address or phone why no code was sent: no account, or already signed up. */
async function sendWithoutUser(account: Account, request: Visit, target: CodeTarget, signup: boolean): Promise<void> {
  if (!signup) return sendUnknownAccount(account, request, target)
  if (target.email !== null) return mailWithoutUser(account, request, target.email)
  if (target.phone !== null) await sendExistsText(account, request, target.phone)
}

const createLoginCode = (account: Account, { phone }: CodeTarget): string =>
  phone === null ? account.adapter.generateLoginCode() : account.adapter.generatePhoneVerificationCode()

/** Drops the login and its code. */
export function endCodeLogin(account: Account, request: Visit): void {
  loginCodes(account.kernel).drop(request)
  account.login.drop(request)
}
