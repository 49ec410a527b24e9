import type { Account } from '../account.ts'
import { takeOrRefuse } from '../../kernel/limits/take.ts'
import type { RateResult } from '../../kernel/limits/rate-limits.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { EmailAddress } from '../email-address.ts'
import { sendUnknownAccount } from '../login/code-delivery.ts'
import { storedAddress } from '../login/stored-address.ts'
import { newConfirmationKey } from './confirmation-key.ts'
import { sameText } from './same-text.ts'

/** A sign-up that a program has filled in: it sees what everybody sees, and nobody gets a mail or a text message. */
export const TRAPPED = 'signup_trapped'

/** What `confirm_email` is counted by: one text for all spellings that reach the same person. */
const subject = (email: string): { readonly key: string } => ({ key: sameText(email) })

/**
 * Takes the slot of a mail to `email` that the visitor waits for.
 * @throws {AuthError} `rate_limited`
 */
export function takeConfirmEmail(request: Visit, email: string): Promise<Taken> {
  return takeOrRefuse(request.kernel.limits, 'confirm_email', subject(email), request.nowMs)
}

/** A slot of a limit that can be given back. */
export type Taken = Pick<Extract<RateResult, { readonly allowed: true }>, 'giveBack'>

/** Whether a mail could be sent to `email` now; takes nothing. */
export async function mayConfirmEmail(request: Visit, email: string): Promise<boolean> {
  return (await request.kernel.limits.check('confirm_email', subject(email), request.nowMs)).allowed
}

/**
 * Mails a link that verifies `address`. Over the limit it sends nothing and says so only to the caller: links that
 * were sent before are still good.
 * @returns whether a mail was sent
 */
export async function sendConfirmationLink(
  account: Account,
  request: Visit,
  to: { readonly user: User; readonly address: EmailAddress; readonly signup: boolean },
): Promise<boolean> {
  const { user, address, signup } = to
  return maySend(account, request, address.email, signup, async () => {
    const key = await newConfirmationKey(account, request, address)
    const confirmation = { emailAddress: address, email: address.email, user, key, code: null }
    await account.adapter.sendConfirmationMail(request, confirmation, signup)
    await announceSent(account, request, { email: address.email, key }, signup)
  })
}

/** What `sendConfirmationLink` does for a sign-up with an address that is in use: its owner is told. */
export function sendExistsMail(account: Account, request: Visit, email: string, signup: boolean): Promise<boolean> {
  return maySend(account, request, email, signup, () => mailWithoutUser(account, request, email))
}

async function maySend(
  account: Account,
  request: Visit,
  email: string,
  signup: boolean,
  send: () => Promise<void>,
): Promise<boolean> {
  if (!(await account.adapter.shouldSendConfirmationMail(request, { email }, signup))) return false
  const taken = await account.kernel.limits.take('confirm_email', subject(email), request.nowMs)
  if (!taken.allowed) return false
  await request.transaction(send)
  await tellSent(account, request, email, signup)
  return true
}

/** A mail to an address that a visitor gave who has no account: about the account that has it, or that none has it. */
export async function mailWithoutUser(account: Account, request: Visit, email: string): Promise<void> {
  if (request.notes.get(TRAPPED) === true) return
  const [owner] = await account.kernel.users.byEmail(request.db, email, { preferVerified: true, activeOnly: false })
  // The owner's mailbox is the stored one: the typed address may be another that only looks the same.
  if (owner !== undefined) {
    const mailbox = await storedAddress(account, request, owner, email)
    if (mailbox !== null) await account.adapter.sendAccountAlreadyExistsMail(request, mailbox)
  } else await sendUnknownAccount(account, request, { email, phone: null })
}

/** The message that a mail is under way. */
export function tellSent(account: Account, request: Visit, email: string, signup: boolean): Promise<void> {
  const context = { email, login: !signup && request.user === null, signup }
  return account.adapter.addMessage(request, 'info', 'account/messages/email_confirmation_sent', context)
}

/** Tells receivers, once the mail is certain to leave. */
export function announceSent(
  account: Account,
  request: Visit,
  confirmation: { readonly email: string; readonly key: string | null },
  signup: boolean,
): Promise<void> {
  const sender = confirmation.key === null ? 'CodeProcess' : 'EmailConfirmation'
  return request.afterCommit(() =>
    account.signals.emit('email_confirmation_sent', sender, { request, confirmation, signup }),
  )
}
