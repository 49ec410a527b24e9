import type { RateResult } from '../../kernel/limits/rate-limits.ts'
import { takeSlot } from '../../kernel/limits/take.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import type { EmailAddress } from '../email-address.ts'
import { sendUnknownAccount, findStoredAddress } from '../login/code-delivery.ts'
import { foldText } from './clean-address.ts'

/** Marks a sign-up that filled in the honeypot. The visitor sees the usual pages; no mail or text message is sent. */
export const TRAPPED = 'signup_trapped'

/** Returns what the `confirm_email` limit counts by: the same key for all spellings of an address. */
const subject = (email: string): { readonly key: string } => ({ key: foldText(email) })

/**
 * Takes a slot of the `confirm_email` limit for a mail to `email`.
 * @throws {AuthError} `rate_limited`
 */
export function takeConfirmEmailSlot(request: Visit, email: string): Promise<TakenSlot> {
  return takeSlot(request.kernel.limits, 'confirm_email', subject(email), request.nowMs)
}

/** A rate limit slot that can be released. */
export type TakenSlot = Pick<Extract<RateResult, { readonly allowed: true }>, 'giveBack'>

/** Returns whether the limit allows a mail to `email` now. Takes no slot. */
export async function hasConfirmEmailSlot(request: Visit, email: string): Promise<boolean> {
  return (await request.kernel.limits.check('confirm_email', subject(email), request.nowMs)).allowed
}

/**
 * Mails a link that verifies `address`. Over the rate limit it sends nothing; earlier links stay valid.
 * @returns whether a mail was sent
 */
export async function sendConfirmationLink(
  account: Account,
  request: Visit,
  to: { readonly user: User; readonly address: EmailAddress; readonly signup: boolean },
): Promise<boolean> {
  const { user, address, signup } = to
  return sendWithinLimit(account, request, address.email, signup, async () => {
    const key = await createConfirmationKey(account, request, address)
    const confirmation = { emailAddress: address, email: address.email, user, key, code: null }
    await account.adapter.sendConfirmationMail(request, confirmation, signup)
    await emitEmailSent(account, request, { email: address.email, key }, signup)
  })
}

/** The counterpart of `sendConfirmationLink` for a sign-up with an address in use: mails the owner instead. */
export function sendExistsMail(account: Account, request: Visit, email: string, signup: boolean): Promise<boolean> {
  return sendWithinLimit(account, request, email, signup, () => mailWithoutUser(account, request, email))
}

async function sendWithinLimit(
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
  await notifyEmailSent(account, request, email, signup)
  return true
}

/** Mails an address that a visitor entered: either that it's in use, or that no account has it. */
export async function mailWithoutUser(account: Account, request: Visit, email: string): Promise<void> {
  if (request.notes.get(TRAPPED) === true) return
  const [owner] = await account.kernel.users.byEmail(request.db, email, { preferVerified: true, activeOnly: false })
  // Mails the stored address, because the typed one may be another person's lookalike address.
  if (owner !== undefined) {
    const mailbox = await findStoredAddress(account, request, owner, email)
    if (mailbox !== null) await account.adapter.sendAccountAlreadyExistsMail(request, mailbox)
  } else await sendUnknownAccount(account, request, { email, phone: null })
}

/** Adds the message that a mail was sent. */
export function notifyEmailSent(account: Account, request: Visit, email: string, signup: boolean): Promise<void> {
  const context = { email, login: !signup && request.user === null, signup }
  return account.adapter.addMessage(request, 'info', 'account/messages/email_confirmation_sent', context)
}

/** Emits `email_confirmation_sent` once the transaction has committed. */
export function emitEmailSent(
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

const DAY_SECONDS = 86_400

/** Returns a key for a link that verifies `address`: signed or, with `emailConfirmationHmac` off, stored. */
async function createConfirmationKey(account: Account, request: Visit, address: EmailAddress): Promise<string> {
  const { emailConfirmationHmac, emailConfirmationExpireDays, salt } = account.kernel.settings.account
  if (emailConfirmationHmac) return account.kernel.signer.sign(address.id, salt, request.nowMs)
  const lifeMs = Math.round(emailConfirmationExpireDays * DAY_SECONDS) * 1000
  await account.confirmations.removeOlder(request.db, request.nowMs - lifeMs)
  const key = account.adapter.generateEmailConfirmationKey(address.email)
  await account.confirmations.insert(request.db, address.id, key, request.nowMs)
  return key
}

/** Returns the unverified address that a key is for, or `null` if the key is invalid, expired, or already used. */
export async function findAddressByKey(account: Account, request: Visit, key: string): Promise<EmailAddress | null> {
  const { emailConfirmationHmac, emailConfirmationExpireDays, salt } = account.kernel.settings.account
  const maxAgeSeconds = Math.round(emailConfirmationExpireDays * DAY_SECONDS)
  const { nowMs, db } = request
  if (!emailConfirmationHmac) {
    const address = await account.confirmations.find(db, key, nowMs - maxAgeSeconds * 1000)
    return address === null || address.verified ? null : address
  }
  const id = account.kernel.signer.unsign(key, salt, { nowMs, maxAgeSeconds })
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) return null
  const address = await account.emails.byId(db, id)
  return address === null || address.verified ? null : address
}
