import type { Kernel } from '../../kernel/kernel.ts'
import type { Login } from '../../kernel/login.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import { type CodeProcess, codeProcesses, type CodeProcesses } from '../code-process.ts'
import { mailedLink } from '../mailed-link.ts'
import { foldText } from '../email/clean-address.ts'
import { showRateLimitError } from '../refusals.ts'

/** The recipient of a code: an email address or a phone number. */
export interface CodeTarget {
  readonly email: string | null
  readonly phone: string | null
}

/** Sends a login code. The page shows the same message whether or not a code was sent. */
export async function sendLoginCode(
  account: Account,
  request: Visit,
  sent: CodeTarget & { readonly user: User; readonly code: string },
): Promise<void> {
  const { user, email, phone, code } = sent
  if (phone !== null)
    await sendTextOrLog(account.kernel, () => account.adapter.sendVerificationCodeSms(request, user, phone, code))
  else if (email !== null) await account.adapter.sendMail(request, 'account/email/login_code', email, { user, code })
}

/** Notifies the owner of an address or phone that no account exists for it. */
export async function sendUnknownAccount(
  account: Account,
  request: Visit,
  { email, phone }: CodeTarget,
): Promise<void> {
  if (phone !== null) return sendTextOrLog(account.kernel, () => account.adapter.sendUnknownAccountSms(request, phone))
  if (email === null || !account.kernel.settings.account.emailUnknownAccounts) return
  const context = { signup_url: mailedLink(account, request, 'account_signup') }
  await account.adapter.sendMail(request, 'account/email/unknown_account', email, context)
}

/** Notifies the owner of the phone that someone tried to sign up with it again. */
export const sendExistsText = (account: Account, request: Visit, phone: string): Promise<void> =>
  sendTextOrLog(account.kernel, () => account.adapter.sendAccountAlreadyExistsSms(request, phone))

/** Adds the message that a code was sent. */
export async function notifyCodeSent(account: Account, request: Visit, { email, phone }: CodeTarget): Promise<void> {
  const recipient = phone ?? email ?? ''
  await account.adapter.addMessage(request, 'success', 'account/messages/login_code_sent', { email, phone, recipient })
}

/** Sends a text message; a failure is logged but not shown, because it would reveal whether an account exists. */
async function sendTextOrLog(kernel: Kernel, send: () => Promise<void>): Promise<void> {
  try {
    await send()
  } catch (error) {
    kernel.log.error('A text message could not be sent', { error })
  }
}

/**
 * Takes the rate limit slot for a code that a stage sends. A visitor returning from a provider can't repeat that
 * request and already has an account, so they get the stage page, which reports that nothing was sent and offers to
 * resend.
 * @returns `false` if over the limit
 * @throws {AuthError} `rate_limited` for everyone else
 */
export async function takeSendSlot(account: Account, request: Visit, take: () => Promise<object>): Promise<boolean> {
  const newest = account.login.records(request).at(-1)
  const isBack = newest?.method === 'socialaccount' && newest.at === request.nowMs / 1000
  return (isBack ? await showRateLimitError(account, request, take) : await take()) !== null
}

/**
 * Returns the stored spelling of a typed address. Users are found by any Unicode-equivalent spelling, but mail must go
 * to the stored one: the typed one may be another person's mailbox.
 * @returns `null` if the user doesn't have the address
 * @see CVE-2019-19844
 */
export async function findStoredAddress(
  account: Account,
  request: Visit,
  user: User,
  typed: string,
): Promise<string | null> {
  if (user.email !== '' && user.email.toLowerCase() === typed.toLowerCase()) return user.email.toLowerCase()
  const rows = await account.emails.ofUser(request.db, user.id)
  const row = rows.find(({ email }) => foldText(email) === foldText(typed))
  return row?.email ?? (user.email === '' ? null : user.email.toLowerCase())
}

/** Key of the login stage that waits for a code. */
export const CODE_STAGE = 'login_by_code'

/** Data of the stage. */
interface CodeStageData {
  /** Whether the visitor requested the code; otherwise `loginByCodeRequired` requires it. */
  readonly initiatedByUser: boolean
}

/** Returns the data of a login's code stage. */
export function codeStageData(login: Login): CodeStageData {
  const data = login.state.stages[CODE_STAGE]?.data as CodeStageData | undefined // written only by this module
  return { initiatedByUser: data?.initiatedByUser === true }
}

/** Returns the processes of login codes. */
export const loginCodes = (kernel: Kernel): CodeProcesses =>
  codeProcesses({
    key: 'account_login_code',
    timeoutSeconds: kernel.settings.account.loginByCodeTimeout,
    maxAttempts: kernel.settings.account.loginByCodeMaxAttempts,
  })

/** Returns the pending code of this login. Ignores one left behind by another user's login. */
export function findLoginCode(request: Visit, login: Login): CodeProcess | null {
  const process = loginCodes(request.kernel).current(request)
  return process !== null && process.userId === (login.user?.id ?? null) ? process : null
}
