import type { Account } from '../account.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { InvalidInput } from '../../errors.ts'
import { isEmailSyntax } from '../../kernel/forms/email-syntax.ts'
import { takeOrRefuse } from '../../kernel/limits/take.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { CodeProcess } from '../code-process.ts'
import { addressesOf } from '../email/mirror.ts'
import { sameText } from '../email/same-text.ts'
import { mailWithoutUser } from '../email/verification.ts'
import type { Login, LoginOutcome } from '../../kernel/login.ts'
import { cleanPhoneNumber } from '../phone/phone.ts'
import { announceCode, type CodeTarget, sendExistsText, sendLoginCode, sendUnknownAccount } from './code-delivery.ts'
import { CODE_STAGE, codeOfLogin, codeStageData, loginCodes } from './code-processes.ts'

/** Who asks for a code: an address or a phone, the other one empty. `param` names the field of errors. */
export interface CodeRequest {
  readonly email: string
  readonly phone: string
  readonly param?: string
}

/**
 * Begins a login by code. Somebody unknown gets the same answer, and no code is right.
 * @throws {InvalidInput} `required`, `select_only_one`, `too_many_login_attempts`; `unknown_email` and `unknown_phone`
 * only without `preventEnumeration`
 */
export async function requestLoginCode(account: Account, request: Visit, asked: CodeRequest): Promise<LoginOutcome> {
  const param = asked.param ?? (asked.phone !== '' && asked.email === '' ? 'phone' : 'email')
  const wrong = (code: string): InvalidInput => new InvalidInput([account.adapter.validationError(code, { param })])
  if (asked.email === '' && asked.phone === '') throw wrong('required')
  if (asked.email !== '' && asked.phone !== '')
    throw new InvalidInput([account.adapter.validationError('select_only_one')])
  const email = asked.email === '' ? null : sameText(asked.email)
  if (email !== null && !isEmailSyntax(email)) throw wrong('invalid')
  const phone = asked.phone === '' ? null : await cleanPhoneNumber(account, request, asked.phone)
  const subject = { ip: request.clientIp, key: phone ?? email ?? '' }
  const taken = await account.kernel.limits.take('request_login_code', subject, request.nowMs)
  if (!taken.allowed) throw wrong('too_many_login_attempts')
  const user = await userOf(account, request, { email, phone })
  if (user === null && account.kernel.settings.account.preventEnumeration === false)
    throw wrong(phone === null ? 'unknown_email' : 'unknown_phone')
  return account.login.begin(request, { user, email, phone, stageData: { [CODE_STAGE]: { initiatedByUser: true } } })
}

async function userOf(account: Account, request: Visit, { email, phone }: CodeTarget): Promise<User | null> {
  const user =
    phone === null
      ? (await account.kernel.users.byEmail(request.db, email ?? '', { preferVerified: true, activeOnly: true }))[0]
      : await account.adapter.getUserByPhone(request, phone)
  return user?.isActive === true ? user : null
}

/** What became of a typed code. */
export type CodeResult =
  | { readonly kind: 'confirmed'; readonly outcome: LoginOutcome }
  | { readonly kind: 'wrong' }
  /** No try is left, or no time: the login is gone. */
  | { readonly kind: 'ended' }

/**
 * Checks a typed code. The right one proves that the person has the address or phone.
 * @throws {AuthError} `session_conflict` when another try came in between: nothing has happened
 */
export async function confirmLoginCode(
  account: Account,
  request: Visit,
  login: Login,
  code: string,
): Promise<CodeResult> {
  const process = codeOfLogin(request, login)
  if (process === null) {
    endCodeLogin(account, request)
    return { kind: 'ended' }
  }
  // From here on this request alone has the login: another one, which would find it without a code, finds none.
  const tried = await loginCodes(account.kernel).attempt(request, process, code, () => account.login.drop(request))
  if (tried === 'right' && login.user !== null)
    return { kind: 'confirmed', outcome: await proceed(account, request, login, process) }
  const event = { request, last_attempt: tried === 'last_wrong' }
  if (login.user !== null)
    await account.signals.emit('login_code_rejected', 'CodeProcess', { ...event, user: login.user })
  if (tried === 'wrong') return { kind: 'wrong' }
  endCodeLogin(account, request)
  return { kind: 'ended' }
}

async function proceed(account: Account, request: Visit, login: Login, process: CodeProcess): Promise<LoginOutcome> {
  const { user, redirectUrl, emailVerification } = login
  const { email, phone } = process
  const used = process.phone === null ? { email: process.email ?? '' } : { phone: process.phone }
  await account.login.record(request, { method: 'code', ...used }, user)
  if (user !== null) await markProved(account, request, user, process)
  // Asked for by the visitor, the code was the whole first step: what comes now is any login, with all other stages.
  if (!codeStageData(login).initiatedByUser) return account.login.resume(request, login)
  return account.login.begin(request, { user, email, phone, redirectUrl, emailVerification })
}

async function markProved(account: Account, request: Visit, user: User, process: CodeProcess): Promise<void> {
  await request.transaction(async () => {
    if (process.phone !== null) {
      await account.adapter.setPhoneVerified(request, user, process.phone)
      return
    }
    const rows = await addressesOf(account, request, user)
    const address = rows.find(({ email }) => sameText(email) === sameText(process.email ?? ''))
    if (address?.verified === false) await account.adapter.confirmEmail(request, address)
  })
}

/** Whether another code may be asked for. */
export const canResend = (kernel: Kernel, process: CodeProcess): boolean =>
  process.resendCount < kernel.settings.account.loginByCodeSupportsResend

/**
 * Sends another code; the one before is dead. Somebody unknown is told the same, by a mail again: without one the answer
 * would come sooner.
 * @returns `false`: not (any more) offered
 * @throws {AuthError} `rate_limited`; `session_conflict`
 */
export async function resendLoginCode(account: Account, request: Visit, login: Login): Promise<boolean> {
  const process = codeOfLogin(request, login)
  if (process === null || !canResend(account.kernel, process)) return false
  const { email, phone } = process
  const subject = { ip: request.clientIp, key: sameText(phone ?? email ?? '') }
  const taken = await takeOrRefuse(account.kernel.limits, 'request_login_code', subject, request.nowMs)
  const { user, signup } = login
  const code = user === null ? '' : newCode(account, { email, phone })
  loginCodes(account.kernel).replace(request, { ...process, code, resendCount: process.resendCount + 1 })
  await committed(request, taken)
  if (user === null) await sendWithoutUser(account, request, { email, phone }, signup)
  else await sendLoginCode(account, request, { user, email, phone, code })
  await announceCode(account, request, { email: login.email ?? email, phone })
  return true
}

/** The slot goes back when the request must begin anew. @throws {AuthError} `session_conflict` */
async function committed({ session }: Visit, taken: Awaited<ReturnType<typeof takeOrRefuse>>): Promise<void> {
  try {
    await session.commit()
  } catch (error) {
    await taken.giveBack()
    throw error
  }
}

/** What begins a login by code. */
interface LoginCodeStart {
  readonly user: User | null
  /** Where the code goes. */
  readonly target: CodeTarget
  /** What the visitor typed. */
  readonly shown: CodeTarget
  readonly signup?: boolean
  /** Over the limit: the visitor may ask for it later. */
  readonly unsent?: boolean
}

/** Starts to wait for a code, and sends it. */
export async function startLoginCode(
  account: Account,
  request: Visit,
  { user, target, shown, signup = false, unsent = false }: LoginCodeStart,
): Promise<void> {
  const code = user === null ? '' : newCode(account, target)
  loginCodes(account.kernel).start(request, { ...target, userId: user?.id ?? null, code })
  if (unsent) return
  if (user === null) await sendWithoutUser(account, request, target, signup)
  else await sendLoginCode(account, request, { ...target, user, code })
  await announceCode(account, request, shown)
}

/** Tells whoever has the address or phone why there is no code: nobody signed up with it, or they did before. */
async function sendWithoutUser(account: Account, request: Visit, target: CodeTarget, signup: boolean): Promise<void> {
  if (!signup) return sendUnknownAccount(account, request, target)
  if (target.email !== null) return mailWithoutUser(account, request, target.email)
  if (target.phone !== null) await sendExistsText(account, request, target.phone)
}

const newCode = (account: Account, { phone }: CodeTarget): string =>
  phone === null ? account.adapter.generateLoginCode() : account.adapter.generatePhoneVerificationCode()

/** Forgets the login and its code. */
export function endCodeLogin(account: Account, request: Visit): void {
  loginCodes(account.kernel).drop(request)
  account.login.drop(request)
}
