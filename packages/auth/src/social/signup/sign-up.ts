import { claim } from '../../account/email/claim.sql.ts'
import { textOf } from '../../account/email/forms.ts'
import { sameText } from '../../account/email/same-text.ts'
import type { LoginOutcome } from '../../account/login.ts'
import { type Conflict, findConflict } from '../../account/signup/conflict.ts'
import type { Core } from '../../core.ts'
import { AuthError, InvalidInput } from '../../errors.ts'
import type { FormValues } from '../../kernel/forms/form.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { acceptLogin, recordSocial } from '../login/accept-login.ts'
import { cleanSocialSignup, refusedConflict } from './clean-signup.ts'
import { existingUserOf, lookUp } from '../login/lookup.ts'
import { dropPendingSignup, hasPendingSignup, keepPendingSignup } from './pending-signup.ts'
import { AccountTaken } from './save-user.ts'
import { signalArgumentsOf } from '../login/signal-arguments.ts'
import type { SocialOutcome } from '../social-accounts.ts'
import type { SocialLogin } from '../social-login.ts'

/**
 * Somebody whom nobody knows has come from a provider: creates the account at once where enough is told, else keeps the
 * login until a form is completed.
 * @throws {AccountTaken} somebody was faster
 */
export async function signUp(core: Core, request: Visit, sociallogin: SocialLogin): Promise<SocialOutcome> {
  if (!(await core.social.adapter.isOpenForSignup(request, sociallogin))) return { kind: 'signup_closed' }
  const way = await wayOf(core, request, sociallogin)
  if (way === 'hidden') {
    const told = { email: emailOf(sociallogin), phone: await phoneToVerify(core, request, sociallogin) }
    return { kind: 'login', outcome: await pretend(core, request, sociallogin, told) }
  }
  if (way === 'auto') {
    const user = await signUpSilently(core, request, sociallogin)
    if (user !== null) return { kind: 'login', outcome: await welcome(core, request, sociallogin, user) }
  }
  keepPendingSignup(core, request, sociallogin)
  return { kind: 'signup' }
}

const emailOf = ({ emailAddresses }: SocialLogin): string | null => emailAddresses[0]?.email ?? null

/** The phone that a new account would have, and that would have to be verified first. */
async function phoneToVerify(core: Core, request: Visit, { phone }: SocialLogin): Promise<string | null> {
  if (phone === null || phone.verified) return null
  if (!core.settings.account.signupFields.some(({ name }) => name === 'phone')) return null
  return (await core.adapter.getUserByPhone(request, phone.phone)) === null ? phone.phone : null
}

/** Whether an account can be made of what the provider has told, alone. */
async function wayOf(core: Core, request: Visit, sociallogin: SocialLogin): Promise<'auto' | 'form' | 'hidden'> {
  if (!(await core.social.adapter.isAutoSignupAllowed(request, sociallogin))) return 'form'
  const email = emailOf(sociallogin)
  if (email === null && core.settings.socialaccount.emailRequired) return 'form'
  const { emailVerification } = core.settings.socialaccount
  const { kind } = await findConflict(core, request, { email, phone: null }, emailVerification)
  // The same person, in another browser, may be who has taken the address a moment ago.
  const { provider, uid } = sociallogin.account
  if ((await core.social.accounts.find(request.db, provider, uid)) !== null) throw new AccountTaken()
  if (kind !== 'none') return kind === 'hidden' ? 'hidden' : 'form'
  const phone = core.settings.account.signupFields.find(({ name }) => name === 'phone')
  if (phone?.required !== true) return 'auto'
  const told = sociallogin.phone?.phone ?? null
  const isFree = told !== null && (await core.adapter.getUserByPhone(request, told)) === null
  return isFree ? 'auto' : 'form'
}

/** `null`: somebody has taken the address or the name at this very moment, and the visitor must choose another. */
async function signUpSilently(core: Core, request: Visit, sociallogin: SocialLogin): Promise<User | null> {
  sociallogin.user = { ...sociallogin.user, username: await usernameOf(core, request, sociallogin) }
  const before = { user: sociallogin.user, account: sociallogin.account }
  try {
    const stored = await request.transaction(async () => {
      const conflict = await claimed(core, request, sociallogin, { email: emailOf(sociallogin), phone: null })
      return conflict.kind === 'none' ? core.social.adapter.saveUser(request, sociallogin, null) : null
    })
    if (stored === null) Object.assign(sociallogin, before)
    return stored
  } catch (error) {
    Object.assign(sociallogin, before)
    if (error instanceof InvalidInput) return null
    throw error
  }
}

/** That of the provider, if it can be one here and nobody has it; else one is made. */
async function usernameOf(core: Core, request: Visit, { user }: SocialLogin): Promise<string> {
  const { username = '' } = user
  if (core.settings.account.userModelUsernameField === null || username === '') return ''
  try {
    return await core.adapter.cleanUsername(request, username)
  } catch (error) {
    if (error instanceof InvalidInput) return ''
    throw error
  }
}

interface Wanted {
  readonly email: string | null
  readonly phone: string | null
}

/**
 * From here to the end of the transaction nobody else takes the account, the address or the phone.
 * @throws {AccountTaken}
 */
async function claimed(
  core: Core,
  request: Visit,
  { account: { provider, uid } }: SocialLogin,
  wanted: Wanted,
): Promise<Conflict> {
  await claim(core, request.db, 'social_account', JSON.stringify([provider, uid]))
  if ((await core.social.accounts.find(request.db, provider, uid)) !== null) throw new AccountTaken()
  if (wanted.email !== null) await claim(core, request.db, 'email', sameText(wanted.email))
  if (wanted.phone !== null) await claim(core, request.db, 'phone', wanted.phone)
  return findConflict(core, request, wanted, core.settings.socialaccount.emailVerification)
}

/**
 * Completes the sign-up that waits in the session, with what the visitor has typed.
 * @throws {InvalidInput} `email_taken`, `username_taken` …
 * @throws {AuthError} `flow_wrong_stage`: none waits; `permission_denied`: sign-up is closed
 */
export async function completeSignup(
  core: Core,
  request: Visit,
  sociallogin: SocialLogin,
  given: FormValues,
): Promise<LoginOutcome> {
  if (!hasPendingSignup(request)) throw new AuthError('flow_wrong_stage')
  if (!(await core.social.adapter.isOpenForSignup(request, sociallogin))) throw new AuthError('permission_denied')
  const values = await cleanSocialSignup(core, request, sociallogin, given)
  const wanted = { email: textOf(values, 'email') || null, phone: textOf(values, 'phone') || null }
  try {
    const user = await storeSignup(core, request, sociallogin, { values, wanted })
    if (user === null) return await pretend(core, request, sociallogin, wanted)
    return await welcome(core, request, sociallogin, user)
  } catch (error) {
    if (!(error instanceof AccountTaken)) throw error
    // The same person has completed it in another browser.
    dropPendingSignup(request)
    await lookUp(core, request, sociallogin)
    const user = existingUserOf(sociallogin)
    if (user === null) throw new AuthError('flow_wrong_stage', { cause: error })
    return acceptLogin(core, request, sociallogin, user)
  }
}

/** @returns `null`: somebody has the address or the phone, and the visitor must not see it */
function storeSignup(
  core: Core,
  request: Visit,
  sociallogin: SocialLogin,
  { values, wanted }: { readonly values: FormValues; readonly wanted: Wanted },
): Promise<User | null> {
  return request.transaction(async () => {
    dropPendingSignup(request)
    // Of two requests that complete the same sign-up one does.
    await request.session.commit()
    const conflict = await claimed(core, request, sociallogin, wanted)
    if (conflict.kind === 'refused') throw await refusedConflict(core, request, sociallogin, conflict.errors)
    if (conflict.kind === 'hidden') return null
    // The form may not ask for a name: that of the provider is as good as one that is typed.
    sociallogin.user = { ...sociallogin.user, username: await usernameOf(core, request, sociallogin) }
    const stored = await core.social.adapter.saveUser(request, sociallogin, values)
    await core.signupForm?.signup(request, stored, values)
    return (await core.users.byId(request.db, stored.id)) ?? stored
  })
}

/** Somebody has the address, and the visitor must not see it: the owner is told, and nothing is created. */
async function pretend(
  core: Core,
  request: Visit,
  sociallogin: SocialLogin,
  { email, phone }: Wanted,
): Promise<LoginOutcome> {
  await recordSocial(core, request, sociallogin, null)
  return core.login.begin(request, { ...firstLogin(core, sociallogin), user: null, email, phone })
}

/** Tells receivers of a new account, and begins its first login. */
async function welcome(core: Core, request: Visit, sociallogin: SocialLogin, user: User): Promise<LoginOutcome> {
  sociallogin.existingUser = user
  sociallogin.user = user
  await recordSocial(core, request, sociallogin, user)
  await core.signals.emit('user_signed_up', 'User', { request, user, sociallogin })
  const signalArguments = signalArgumentsOf(core, request, sociallogin)
  return core.login.begin(request, { ...firstLogin(core, sociallogin), user, signalArguments })
}

/** What the first login of a new account has, and that of nobody with it. */
const firstLogin = (core: Core, { state }: SocialLogin) =>
  ({
    signup: true,
    emailVerification: core.settings.socialaccount.emailVerification,
    redirectUrl: state.next,
  }) as const
