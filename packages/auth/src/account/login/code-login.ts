import type { Core } from '../../core.ts'
import { InvalidInput } from '../../errors.ts'
import { isEmailSyntax } from '../../kernel/forms/email-syntax.ts'
import { takeOrRefuse } from '../../kernel/limits/take.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { CodeProcess } from '../code-process.ts'
import { addressesOf } from '../email/mirror.ts'
import { sameText } from '../email/same-text.ts'
import { mailWithoutUser } from '../email/verification.ts'
import type { Login, LoginOutcome } from '../login.ts'
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
export async function requestLoginCode(core: Core, request: Visit, asked: CodeRequest): Promise<LoginOutcome> {
  const param = asked.param ?? (asked.phone !== '' && asked.email === '' ? 'phone' : 'email')
  const wrong = (code: string): InvalidInput => new InvalidInput([core.adapter.validationError(code, { param })])
  if (asked.email === '' && asked.phone === '') throw wrong('required')
  if (asked.email !== '' && asked.phone !== '')
    throw new InvalidInput([core.adapter.validationError('select_only_one')])
  const email = asked.email === '' ? null : sameText(asked.email)
  if (email !== null && !isEmailSyntax(email)) throw wrong('invalid')
  const phone = asked.phone === '' ? null : await cleanPhoneNumber(core, request, asked.phone)
  const subject = { ip: request.clientIp, key: phone ?? email ?? '' }
  const taken = await core.limits.take('request_login_code', subject, request.nowMs)
  if (!taken.allowed) throw wrong('too_many_login_attempts')
  const user = await userOf(core, request, { email, phone })
  if (user === null && core.settings.account.preventEnumeration === false)
    throw wrong(phone === null ? 'unknown_email' : 'unknown_phone')
  return core.login.begin(request, { user, email, phone, stageData: { [CODE_STAGE]: { initiatedByUser: true } } })
}

async function userOf(core: Core, request: Visit, { email, phone }: CodeTarget): Promise<User | null> {
  const user =
    phone === null
      ? (await core.users.byEmail(request.db, email ?? '', { preferVerified: true, activeOnly: true }))[0]
      : await core.adapter.getUserByPhone(request, phone)
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
export async function confirmLoginCode(core: Core, request: Visit, login: Login, code: string): Promise<CodeResult> {
  const process = codeOfLogin(core, request, login)
  if (process === null) {
    endCodeLogin(core, request)
    return { kind: 'ended' }
  }
  // From here on this request alone has the login: another one, which would find it without a code, finds none.
  const tried = await loginCodes(core).attempt(request, process, code, () => core.login.drop(request))
  if (tried === 'right' && login.user !== null)
    return { kind: 'confirmed', outcome: await proceed(core, request, login, process) }
  const event = { request, last_attempt: tried === 'last_wrong' }
  if (login.user !== null) await core.signals.emit('login_code_rejected', 'CodeProcess', { ...event, user: login.user })
  if (tried === 'wrong') return { kind: 'wrong' }
  endCodeLogin(core, request)
  return { kind: 'ended' }
}

async function proceed(core: Core, request: Visit, login: Login, process: CodeProcess): Promise<LoginOutcome> {
  const { user, redirectUrl, emailVerification } = login
  const { email, phone } = process
  const used = process.phone === null ? { email: process.email ?? '' } : { phone: process.phone }
  await core.login.record(request, { method: 'code', ...used }, user)
  if (user !== null) await markProved(core, request, user, process)
  // Asked for by the visitor, the code was the whole first step: what comes now is any login, with all other stages.
  if (!codeStageData(login).initiatedByUser) return core.login.resume(request, login)
  return core.login.begin(request, { user, email, phone, redirectUrl, emailVerification })
}

async function markProved(core: Core, request: Visit, user: User, process: CodeProcess): Promise<void> {
  await request.transaction(async () => {
    if (process.phone !== null) {
      await core.adapter.setPhoneVerified(request, user, process.phone)
      return
    }
    const rows = await addressesOf(core, request, user)
    const address = rows.find(({ email }) => sameText(email) === sameText(process.email ?? ''))
    if (address?.verified === false) await core.adapter.confirmEmail(request, address)
  })
}

/** Whether another code may be asked for. */
export const canResend = (core: Core, process: CodeProcess): boolean =>
  process.resendCount < core.settings.account.loginByCodeSupportsResend

/**
 * Sends another code; the one before is dead. Somebody unknown is told the same, by a mail again: without one the answer
 * would come sooner.
 * @returns `false`: not (any more) offered
 * @throws {AuthError} `rate_limited`; `session_conflict`
 */
export async function resendLoginCode(core: Core, request: Visit, login: Login): Promise<boolean> {
  const process = codeOfLogin(core, request, login)
  if (process === null || !canResend(core, process)) return false
  const { email, phone } = process
  const subject = { ip: request.clientIp, key: sameText(phone ?? email ?? '') }
  const taken = await takeOrRefuse(core.limits, 'request_login_code', subject, request.nowMs)
  const { user, signup } = login
  const code = user === null ? '' : newCode(core, { email, phone })
  loginCodes(core).replace(request, { ...process, code, resendCount: process.resendCount + 1 })
  await committed(request, taken)
  if (user === null) await sendWithoutUser(core, request, { email, phone }, signup)
  else await sendLoginCode(core, request, { user, email, phone, code })
  await announceCode(core, request, { email: login.email ?? email, phone })
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
  core: Core,
  request: Visit,
  { user, target, shown, signup = false, unsent = false }: LoginCodeStart,
): Promise<void> {
  const code = user === null ? '' : newCode(core, target)
  loginCodes(core).start(request, { ...target, userId: user?.id ?? null, code })
  if (unsent) return
  if (user === null) await sendWithoutUser(core, request, target, signup)
  else await sendLoginCode(core, request, { ...target, user, code })
  await announceCode(core, request, shown)
}

/** Tells whoever has the address or phone why there is no code: nobody signed up with it, or they did before. */
async function sendWithoutUser(core: Core, request: Visit, target: CodeTarget, signup: boolean): Promise<void> {
  if (!signup) return sendUnknownAccount(core, request, target)
  if (target.email !== null) return mailWithoutUser(core, request, target.email)
  if (target.phone !== null) await sendExistsText(core, request, target.phone)
}

const newCode = (core: Core, { phone }: CodeTarget): string =>
  phone === null ? core.adapter.generateLoginCode() : core.adapter.generatePhoneVerificationCode()

/** Forgets the login and its code. */
export function endCodeLogin(core: Core, request: Visit): void {
  loginCodes(core).drop(request)
  core.login.drop(request)
}
