import type { Account } from '../account.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { mailedLink } from '../mailed-link.ts'

/** Where a code goes: one of the two. */
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

/** Notifies the owner of the address or phone that no account exists for it. */
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

/** The message on the next page. */
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
