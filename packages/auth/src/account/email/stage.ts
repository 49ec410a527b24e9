import type { Account } from '../account.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { EmailAddress } from '../email-address.ts'
import type { Login, LoginStage, StageDecision } from '../../kernel/login.ts'
import { EMAIL_STAGE, emailCodes, startEmailCode } from './code-verification.ts'
import { loadEmailAddresses } from './mirror.ts'
import { foldText } from './same-text.ts'
import { sendConfirmationLink, sendExistsMail } from './verification.ts'

/** Page where a login waits until an address is verified. */
export const EMAIL_STAGE_PAGE = 'account_email_verification_sent'

/** The stage that holds a login back until its address is verified, and mails what is needed for it. */
export function emailStage(account: Account): LoginStage {
  return {
    key: EMAIL_STAGE,
    page: EMAIL_STAGE_PAGE,
    // Without a code that is waited for its page would lead back.
    resumable: (request) =>
      account.kernel.settings.account.emailVerificationByCodeEnabled &&
      emailCodes(account.kernel).current(request) !== null,
    enter: (request, login) => enter(account, request, login),
  }
}

async function enter(account: Account, request: Visit, login: Login): Promise<StageDecision> {
  if (login.emailVerification === 'none') return { kind: 'pass' }
  if (login.user === null) return waitWithoutUser(account, request, login)
  if (login.emailVerification === 'optional') {
    if (login.signup) await sendSignupVerification(account, request, login, login.user)
    return { kind: 'pass' }
  }
  const addresses = await loadEmailAddresses(account, request, login.user)
  if (isVerified(addresses, login.email)) return { kind: 'pass' }
  const address = addresses.find(({ email }) => isSame(email, login.email)) ?? addresses[0]
  if (address === undefined) {
    await account.adapter.addMessage(request, 'error', 'account/messages/unverified_primary_email')
    return { kind: 'abort' }
  }
  const { user, signup } = login
  if (account.kernel.settings.account.emailVerificationByCodeEnabled) {
    await startEmailCode(account, request, { user, email: address.email, signup, stage: true })
  } else await sendConfirmationLink(account, request, { user, address, signup })
  return waitForVerification(account, request, user)
}

/** The address of this login, or without one any of the user. */
const isVerified = (addresses: readonly EmailAddress[], email: string | null): boolean =>
  addresses.some((address) => address.verified && (email === null || isSame(address.email, email)))

const isSame = (stored: string, given: string | null): boolean => given !== null && foldText(stored) === foldText(given)

/** Verification is optional: one mail at sign-up, and the login goes on. */
async function sendSignupVerification(account: Account, request: Visit, login: Login, user: User): Promise<void> {
  const addresses = await loadEmailAddresses(account, request, user)
  const address = addresses.find(({ email }) => isSame(email, login.email)) ?? addresses[0]
  if (address === undefined || address.verified) return
  await sendConfirmationLink(account, request, { user, address, signup: true })
}

/** Handles a login without a user: the visitor sees what everyone else sees. */
async function waitWithoutUser(account: Account, request: Visit, login: Login): Promise<StageDecision> {
  if (login.emailVerification !== 'mandatory' || login.email === null) return { kind: 'pass' }
  const { email, signup } = login
  if (account.kernel.settings.account.emailVerificationByCodeEnabled) {
    await startEmailCode(account, request, { user: null, email, signup, stage: true })
  } else await sendExistsMail(account, request, email, signup)
  return waitForVerification(account, request, null)
}

function waitForVerification(account: Account, request: Visit, user: User | null): StageDecision {
  return { kind: 'wait', redirectTo: account.adapter.respondEmailVerificationSent(request, user) }
}
