import type { Account } from '../../account/account.ts'
import { revokeAccess } from '../../account/email/first-proof.ts'
import { claimAddresses, giveUnprovenToOwner } from '../../account/email/mirror.ts'
import type { LoginOutcome } from '../../kernel/login.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import { link } from '../links/connect.ts'
import { storeSamlSession } from '../saml/subject.ts'
import type { Social } from '../social-accounts.ts'
import type { SocialLogin } from '../social-login.ts'

/**
 * Starts the login of a stored user, and links the account if necessary.
 * @throws {AccountTaken} if another request linked the account first
 */
export async function acceptLogin(
  social: Social,
  request: Visit,
  sociallogin: SocialLogin,
  found: User,
): Promise<LoginOutcome> {
  const email = sociallogin.authenticatedByEmail
  const user =
    email === null || !found.isActive ? found : await acceptByEmail(social, request, sociallogin, found, email)
  await recordSocial(social.account, request, sociallogin, user)
  return social.account.login.begin(request, {
    user,
    emailVerification: social.kernel.settings.socialaccount.emailVerification,
    redirectUrl: sociallogin.state.next,
    signalArguments: buildSignalArguments(social, request, sociallogin),
  })
}

/** Records the authentication by the provider; `null` if the user is unknown. */
export async function recordSocial(
  account: Account,
  request: Visit,
  { account: socialAccount, app, samlSubject = null }: SocialLogin,
  user: User | null,
): Promise<void> {
  await account.login.record(
    request,
    { method: 'socialaccount', provider: socialAccount.provider, uid: socialAccount.uid },
    user,
  )
  if (samlSubject !== null && user !== null) storeSamlSession(request, app, samlSubject, user.id)
}

/**
 * Accepts the login of a user by an address that the provider has verified. If the address was never verified here,
 * another person may have created the account: removes its password, sessions, and OAuth clients' access.
 */
async function acceptByEmail(
  social: Social,
  request: Visit,
  sociallogin: SocialLogin,
  user: User,
  email: string,
): Promise<User> {
  return request.transaction(async () => {
    await claimAddresses(request, user)
    const address = await social.account.emails.find(request.db, user.id, email)
    if (address?.verified !== true) {
      await social.kernel.users.setPassword(request.db, user.id, social.kernel.passwords.unusable())
      await social.kernel.sessions.endAll(request.db, user.id)
      await revokeAccess(social.account, request.db, user.id)
      await giveUnprovenToOwner(social.account, request, user, email)
    }
    const accepted = (await social.kernel.users.byId(request.db, user.id)) ?? user
    sociallogin.existingUser = accepted
    sociallogin.user = accepted
    if (social.kernel.settings.socialaccount.emailAuthenticationAutoConnect && sociallogin.account.id === null) {
      await link(social, request, sociallogin, accepted)
    }
    return accepted
  })
}

const NAME = 'sociallogin'

/** Returns extra arguments for the receivers of a login's signals: JSON, since a login may wait in a session. */
export function buildSignalArguments(
  social: Social,
  request: Visit,
  sociallogin: SocialLogin,
): Readonly<Record<string, unknown>> {
  request.notes.set(NAME, sociallogin)
  return { [NAME]: social.adapter.serializeInstance(sociallogin) }
}

/** Returns the signal arguments of a login as receivers get them. Leaves out a social login without an app any more. */
export async function restoreSignalArguments(
  social: Social,
  request: Visit,
  given: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  if (!(NAME in given)) return given
  const { [NAME]: serialized, ...others } = given
  const sociallogin = request.notes.get(NAME) ?? (await social.adapter.deserializeInstance(request, serialized))
  return sociallogin === null ? others : { ...others, [NAME]: sociallogin }
}
