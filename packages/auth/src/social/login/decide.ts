import type { Social, SocialOutcome } from '../social-accounts.ts'
import type { Account } from '../../account/account.ts'
import { AuthError } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import { acceptLogin } from './accept-login.ts'
import { connect } from '../links/connect.ts'
import { existingUserOf, lookUp } from './lookup.ts'
import { dropPendingSignup } from '../signup/pending-signup.ts'
import { AccountTaken } from '../signup/save-user.ts'
import { signUp } from '../signup/sign-up.ts'
import type { SocialLogin } from '../social-login.ts'

/** How often the account is looked up again when somebody else links it at the same moment. */
const ATTEMPTS = 3

/**
 * Does what somebody went to a provider for (3.11.4 of the reference), now that it is known who they are there.
 * @throws {ImmediateResponse} of a hook or a receiver
 * @throws {AuthError} `login_required`: nobody is signed in whom the account could be connected to
 */
export async function decide(social: Social, request: Visit, sociallogin: SocialLogin): Promise<SocialOutcome> {
  dropPendingSignup(request)
  await lookUp(social, request, sociallogin)
  const found = existingUserOf(sociallogin)
  await social.adapter.preSocialLogin(request, sociallogin)
  await social.signals.emit('pre_social_login', 'SocialLogin', { request, sociallogin })
  await social.signals.emit('social_login', 'SocialLogin', { request, sociallogin })
  // Somebody else than the address belongs to: a hook vouches for them.
  if (existingUserOf(sociallogin)?.id !== found?.id) sociallogin.authenticatedByEmail = null
  const { process, next } = sociallogin.state
  if (process === 'redirect') {
    const isSafe = next !== null && social.account.adapter.isSafeUrl(request, next)
    return { kind: 'redirect', redirectTo: isSafe ? next : '/' }
  }
  if (process === 'connect') {
    if (request.user === null) throw new AuthError('login_required')
    return connect(social, request, sociallogin, request.user)
  }
  await signOut(social.account, request)
  return logIn(social, request, sociallogin)
}

/** Whoever was signed in here is not any more: the session must not be two people's. */
async function signOut(account: Account, request: Visit): Promise<void> {
  account.login.drop(request)
  const { user } = request
  if (user === null) return
  await account.adapter.logout(request)
  await account.signals.emit('user_logged_out', 'User', { request, user })
}

async function logIn(social: Social, request: Visit, sociallogin: SocialLogin): Promise<SocialOutcome> {
  for (let attempt = 1; ; attempt++) {
    try {
      const user = existingUserOf(sociallogin)
      if (user === null) return await signUp(social, request, sociallogin)
      return { kind: 'login', outcome: await acceptLogin(social, request, sociallogin, user) }
    } catch (error) {
      if (!(error instanceof AccountTaken) || attempt === ATTEMPTS) throw error
      await lookUp(social, request, sociallogin)
    }
  }
}
