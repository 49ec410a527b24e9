import type { Core } from '../../core.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { EmailAddress } from '../email-address.ts'
import type { Login, LoginStage, StageDecision } from '../login.ts'
import { EMAIL_STAGE, emailCodes, startEmailCode } from './code-verification.ts'
import { addressesOf } from './mirror.ts'
import { sameText } from './same-text.ts'
import { sendConfirmationLink, sendExistsMail } from './verification.ts'

/** Page where a login waits until an address is verified. */
export const EMAIL_STAGE_PAGE = 'account_email_verification_sent'

/** The stage that holds a login back until its address is verified, and mails what is needed for it. */
export function emailStage(core: () => Core): LoginStage {
  return {
    key: EMAIL_STAGE,
    page: EMAIL_STAGE_PAGE,
    // Without a code that is waited for its page would lead back.
    resumable: (request) =>
      core().settings.account.emailVerificationByCodeEnabled && emailCodes(core()).current(request) !== null,
    enter: (request, login) => enter(core(), request, login),
  }
}

async function enter(core: Core, request: Visit, login: Login): Promise<StageDecision> {
  if (login.emailVerification === 'none') return { kind: 'pass' }
  if (login.user === null) return pretend(core, request, login)
  if (login.emailVerification === 'optional') {
    if (login.signup) await mailOnce(core, request, login, login.user)
    return { kind: 'pass' }
  }
  const addresses = await addressesOf(core, request, login.user)
  if (isVerified(addresses, login.email)) return { kind: 'pass' }
  const address = addresses.find(({ email }) => isSame(email, login.email)) ?? addresses[0]
  if (address === undefined) {
    await core.adapter.addMessage(request, 'error', 'account/messages/unverified_primary_email')
    return { kind: 'abort' }
  }
  const { user, signup } = login
  if (core.settings.account.emailVerificationByCodeEnabled) {
    await startEmailCode(core, request, { user, email: address.email, signup, stage: true })
  } else await sendConfirmationLink(core, request, { user, address, signup })
  return wait(core, request, user)
}

/** The address of this login, or without one any of the user. */
const isVerified = (addresses: readonly EmailAddress[], email: string | null): boolean =>
  addresses.some((address) => address.verified && (email === null || isSame(address.email, email)))

const isSame = (stored: string, given: string | null): boolean => given !== null && sameText(stored) === sameText(given)

/** Verification is optional: one mail at sign-up, and the login goes on. */
async function mailOnce(core: Core, request: Visit, login: Login, user: User): Promise<void> {
  const addresses = await addressesOf(core, request, user)
  const address = addresses.find(({ email }) => isSame(email, login.email)) ?? addresses[0]
  if (address === undefined || address.verified) return
  await sendConfirmationLink(core, request, { user, address, signup: true })
}

/** Nobody is behind this login, and its visitor sees what everybody sees. */
async function pretend(core: Core, request: Visit, login: Login): Promise<StageDecision> {
  if (login.emailVerification !== 'mandatory' || login.email === null) return { kind: 'pass' }
  const { email, signup } = login
  if (core.settings.account.emailVerificationByCodeEnabled) {
    await startEmailCode(core, request, { user: null, email, signup, stage: true })
  } else await sendExistsMail(core, request, email, signup)
  return wait(core, request, null)
}

function wait(core: Core, request: Visit, user: User | null): StageDecision {
  return { kind: 'wait', redirectTo: core.adapter.respondEmailVerificationSent(request, user) }
}
