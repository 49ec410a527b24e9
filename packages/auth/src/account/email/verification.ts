import type { Core } from '../../core.ts'
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
export function takeConfirmEmail(core: Core, request: Visit, email: string): Promise<Taken> {
  return takeOrRefuse(core.limits, 'confirm_email', subject(email), request.nowMs)
}

/** A slot of a limit that can be given back. */
export type Taken = Pick<Extract<RateResult, { readonly allowed: true }>, 'giveBack'>

/** Whether a mail could be sent to `email` now; takes nothing. */
export async function mayConfirmEmail(core: Core, request: Visit, email: string): Promise<boolean> {
  return (await core.limits.check('confirm_email', subject(email), request.nowMs)).allowed
}

/**
 * Mails a link that verifies `address`. Over the limit it sends nothing and says so only to the caller: links that
 * were sent before are still good.
 * @returns whether a mail was sent
 */
export async function sendConfirmationLink(
  core: Core,
  request: Visit,
  to: { readonly user: User; readonly address: EmailAddress; readonly signup: boolean },
): Promise<boolean> {
  const { user, address, signup } = to
  return maySend(core, request, address.email, signup, async () => {
    const key = await newConfirmationKey(core, request, address)
    const confirmation = { emailAddress: address, email: address.email, user, key, code: null }
    await core.adapter.sendConfirmationMail(request, confirmation, signup)
    await announceSent(core, request, { email: address.email, key }, signup)
  })
}

/** What `sendConfirmationLink` does for a sign-up with an address that is in use: its owner is told. */
export function sendExistsMail(core: Core, request: Visit, email: string, signup: boolean): Promise<boolean> {
  return maySend(core, request, email, signup, () => mailWithoutUser(core, request, email))
}

async function maySend(
  core: Core,
  request: Visit,
  email: string,
  signup: boolean,
  send: () => Promise<void>,
): Promise<boolean> {
  if (!(await core.adapter.shouldSendConfirmationMail(request, { email }, signup))) return false
  const taken = await core.limits.take('confirm_email', subject(email), request.nowMs)
  if (!taken.allowed) return false
  await request.transaction(send)
  await tellSent(core, request, email, signup)
  return true
}

/** A mail to an address that a visitor gave who has no account: about the account that has it, or that none has it. */
export async function mailWithoutUser(core: Core, request: Visit, email: string): Promise<void> {
  if (request.notes.get(TRAPPED) === true) return
  const [owner] = await core.users.byEmail(request.db, email, { preferVerified: true, activeOnly: false })
  // The owner's mailbox is the stored one: the typed address may be another that only looks the same.
  if (owner !== undefined) {
    const mailbox = await storedAddress(core, request, owner, email)
    if (mailbox !== null) await core.adapter.sendAccountAlreadyExistsMail(request, mailbox)
  } else await sendUnknownAccount(core, request, { email, phone: null })
}

/** The message that a mail is under way. */
export function tellSent(core: Core, request: Visit, email: string, signup: boolean): Promise<void> {
  const context = { email, login: !signup && request.user === null, signup }
  return core.adapter.addMessage(request, 'info', 'account/messages/email_confirmation_sent', context)
}

/** Tells receivers, once the mail is certain to leave. */
export function announceSent(
  core: Core,
  request: Visit,
  confirmation: { readonly email: string; readonly key: string | null },
  signup: boolean,
): Promise<void> {
  const sender = confirmation.key === null ? 'CodeProcess' : 'EmailConfirmation'
  return request.afterCommit(() =>
    core.signals.emit('email_confirmation_sent', sender, { request, confirmation, signup }),
  )
}
