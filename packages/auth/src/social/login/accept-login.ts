import { claimAddresses } from '../../account/email/mirror.ts'
import type { LoginOutcome } from '../../account/login.ts'
import type { Core } from '../../core.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { link } from '../links/connect.ts'
import { keepSamlSession } from '../saml/session.ts'
import { signalArgumentsOf } from './signal-arguments.ts'
import type { SocialLogin } from '../social-login.ts'

/**
 * Signs in a stored user, as far as the stages let it.
 * @throws {AccountTaken} the account was to be linked, and somebody was faster
 */
export async function acceptLogin(
  core: Core,
  request: Visit,
  sociallogin: SocialLogin,
  found: User,
): Promise<LoginOutcome> {
  const email = sociallogin.authenticatedByEmail
  const user = email === null || !found.isActive ? found : await acceptByEmail(core, request, sociallogin, found, email)
  await recordSocial(core, request, sociallogin, user)
  return core.login.begin(request, {
    user,
    emailVerification: core.settings.socialaccount.emailVerification,
    redirectUrl: sociallogin.state.next,
    signalArguments: signalArgumentsOf(core, request, sociallogin),
  })
}

/** Notes how the person has proved who they are; `null`: nobody we know. */
export async function recordSocial(
  core: Core,
  request: Visit,
  { account, app, samlSubject = null }: SocialLogin,
  user: User | null,
): Promise<void> {
  await core.login.record(request, { method: 'socialaccount', provider: account.provider, uid: account.uid }, user)
  if (samlSubject !== null && user !== null) keepSamlSession(request, app, samlSubject, user.id)
}

/**
 * Somebody has the user's address, and the provider vouches for it. Where nobody has proved it here before, whoever has
 * made the account may be another person: their password and sessions end, and what they let programs do.
 */
async function acceptByEmail(
  core: Core,
  request: Visit,
  sociallogin: SocialLogin,
  user: User,
  email: string,
): Promise<User> {
  return request.transaction(async () => {
    await claimAddresses(core, request, user)
    const address = await core.emails.find(request.db, user.id, email)
    if (address?.verified !== true) {
      await core.users.setPassword(request.db, user.id, core.passwords.unusable())
      await core.sessions.endAll(request.db, user.id)
      if (core.settings.idpOidc.enabled) await core.oidc.tokens.revokeAllOfUser(request.db, user.id)
    }
    const accepted = (await core.users.byId(request.db, user.id)) ?? user
    sociallogin.existingUser = accepted
    sociallogin.user = accepted
    if (core.settings.socialaccount.emailAuthenticationAutoConnect && sociallogin.account.id === null) {
      await link(core, request, sociallogin, accepted)
    }
    return accepted
  })
}
