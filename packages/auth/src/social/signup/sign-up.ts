import type { Account } from '../../account/account.ts'
import { foldText } from '../../account/email/clean-address.ts'
import { readTextField } from '../../account/email/forms.ts'
import { cleanSignup, type Conflict, findConflict } from '../../account/signup/clean.ts'
import { lockClaim } from '../../account/contact-stores.sql.ts'
import { AuthError, type InputError, InvalidInput } from '../../errors.ts'
import type { FormValues } from '../../kernel/forms/form.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { LoginOutcome } from '../../kernel/login.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import { acceptLogin, buildSignalArguments, recordSocial } from '../login/accept-login.ts'
import { findExistingUser, lookUp } from '../login/lookup.ts'
import { socialSignupFields } from '../pages/signup-page.ts'
import type { Social, SocialOutcome } from '../social-accounts.ts'
import type { SocialLogin } from '../social-login.ts'
import { AccountTaken } from './save-user.ts'

/**
 * Somebody whom nobody knows has come from a provider: creates the account at once where enough is told, else keeps the
 * login until a form is completed.
 * @throws {AccountTaken} somebody was faster
 */
export async function signUp(social: Social, request: Visit, sociallogin: SocialLogin): Promise<SocialOutcome> {
  if (!(await social.adapter.isOpenForSignup(request, sociallogin))) return { kind: 'signup_closed' }
  const way = await chooseSignupMode(social, request, sociallogin)
  if (way === 'hidden') {
    const told = {
      email: firstEmail(sociallogin),
      phone: await findPhoneToVerify(social.account, request, sociallogin),
    }
    return { kind: 'login', outcome: await pretendSocialSignup(social.account, request, sociallogin, told) }
  }
  if (way === 'auto') {
    const user = await signUpAutomatically(social, request, sociallogin)
    if (user !== null) return { kind: 'login', outcome: await announceSignup(social, request, sociallogin, user) }
  }
  storePendingSignup(social, request, sociallogin)
  return { kind: 'signup' }
}

const firstEmail = ({ emailAddresses }: SocialLogin): string | null => emailAddresses[0]?.email ?? null

/** The phone that a new account would have, and that would have to be verified first. */
async function findPhoneToVerify(account: Account, request: Visit, { phone }: SocialLogin): Promise<string | null> {
  if (phone === null || phone.verified) return null
  if (!account.kernel.settings.account.signupFields.some(({ name }) => name === 'phone')) return null
  return (await account.adapter.getUserByPhone(request, phone.phone)) === null ? phone.phone : null
}

/** Whether an account can be made of what the provider has told, alone. */
async function chooseSignupMode(
  social: Social,
  request: Visit,
  sociallogin: SocialLogin,
): Promise<'auto' | 'form' | 'hidden'> {
  if (!(await social.adapter.isAutoSignupAllowed(request, sociallogin))) return 'form'
  const email = firstEmail(sociallogin)
  if (email === null && social.kernel.settings.socialaccount.emailRequired) return 'form'
  const { emailVerification } = social.kernel.settings.socialaccount
  const { kind } = await findConflict(social.account, request, { email, phone: null }, emailVerification)
  // The same person, in another browser, may be who has taken the address a moment ago.
  const { provider, uid } = sociallogin.account
  if ((await social.accounts.find(request.db, provider, uid)) !== null) throw new AccountTaken()
  if (kind !== 'none') return kind === 'hidden' ? 'hidden' : 'form'
  const phone = social.kernel.settings.account.signupFields.find(({ name }) => name === 'phone')
  if (phone?.required !== true) return 'auto'
  const told = sociallogin.phone?.phone ?? null
  const isFree = told !== null && (await social.account.adapter.getUserByPhone(request, told)) === null
  return isFree ? 'auto' : 'form'
}

/** `null`: somebody has taken the address or the name at this very moment, and the visitor must choose another. */
async function signUpAutomatically(social: Social, request: Visit, sociallogin: SocialLogin): Promise<User | null> {
  sociallogin.user = { ...sociallogin.user, username: await chooseUsername(social.account, request, sociallogin) }
  const before = { user: sociallogin.user, account: sociallogin.account }
  try {
    const stored = await request.transaction(async () => {
      const conflict = await claimAndFindConflict(social, request, sociallogin, {
        email: firstEmail(sociallogin),
        phone: null,
      })
      return conflict.kind === 'none' ? social.adapter.saveUser(request, sociallogin, null) : null
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
async function chooseUsername(account: Account, request: Visit, { user }: SocialLogin): Promise<string> {
  const { username = '' } = user
  if (account.kernel.settings.account.userModelUsernameField === null || username === '') return ''
  try {
    return await account.adapter.cleanUsername(request, username)
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
async function claimAndFindConflict(
  social: Social,
  request: Visit,
  { account: { provider, uid } }: SocialLogin,
  wanted: Wanted,
): Promise<Conflict> {
  await lockClaim(social.kernel, request.db, 'social_account', JSON.stringify([provider, uid]))
  if ((await social.accounts.find(request.db, provider, uid)) !== null) throw new AccountTaken()
  if (wanted.email !== null) await lockClaim(social.kernel, request.db, 'email', foldText(wanted.email))
  if (wanted.phone !== null) await lockClaim(social.kernel, request.db, 'phone', wanted.phone)
  return findConflict(social.account, request, wanted, social.kernel.settings.socialaccount.emailVerification)
}

/**
 * Completes the sign-up that waits in the session, with what the visitor has typed.
 * @throws {InvalidInput} `email_taken`, `username_taken` …
 * @throws {AuthError} `flow_wrong_stage`: none waits; `permission_denied`: sign-up is closed
 */
export async function completeSignup(
  social: Social,
  request: Visit,
  sociallogin: SocialLogin,
  given: FormValues,
): Promise<LoginOutcome> {
  if (!hasPendingSignup(request)) throw new AuthError('flow_wrong_stage')
  if (!(await social.adapter.isOpenForSignup(request, sociallogin))) throw new AuthError('permission_denied')
  const values = await cleanSocialSignup(social, request, sociallogin, given)
  const wanted = { email: readTextField(values, 'email') || null, phone: readTextField(values, 'phone') || null }
  try {
    const user = await storeSignup(social, request, sociallogin, { values, wanted })
    if (user === null) return await pretendSocialSignup(social.account, request, sociallogin, wanted)
    return await announceSignup(social, request, sociallogin, user)
  } catch (error) {
    if (!(error instanceof AccountTaken)) throw error
    // The same person has completed it in another browser.
    dropPendingSignup(request)
    await lookUp(social, request, sociallogin)
    const user = findExistingUser(sociallogin)
    if (user === null) throw new AuthError('flow_wrong_stage', { cause: error })
    return acceptLogin(social, request, sociallogin, user)
  }
}

/** @returns `null`: somebody has the address or the phone, and the visitor must not see it */
function storeSignup(
  social: Social,
  request: Visit,
  sociallogin: SocialLogin,
  { values, wanted }: { readonly values: FormValues; readonly wanted: Wanted },
): Promise<User | null> {
  return request.transaction(async () => {
    dropPendingSignup(request)
    // Of two requests that complete the same sign-up one does.
    await request.session.commit()
    const conflict = await claimAndFindConflict(social, request, sociallogin, wanted)
    if (conflict.kind === 'refused') throw await toConflictError(social, request, sociallogin, conflict.errors)
    if (conflict.kind === 'hidden') return null
    // The form may not ask for a name: that of the provider is as good as one that is typed.
    sociallogin.user = { ...sociallogin.user, username: await chooseUsername(social.account, request, sociallogin) }
    const stored = await social.adapter.saveUser(request, sociallogin, values)
    await social.account.signupForm?.signup(request, stored, values)
    return (await social.kernel.users.byId(request.db, stored.id)) ?? stored
  })
}

/** Somebody has the address, and the visitor must not see it: the owner is told, and nothing is created. */
async function pretendSocialSignup(
  account: Account,
  request: Visit,
  sociallogin: SocialLogin,
  { email, phone }: Wanted,
): Promise<LoginOutcome> {
  await recordSocial(account, request, sociallogin, null)
  return account.login.begin(request, { ...firstLoginOptions(account.kernel, sociallogin), user: null, email, phone })
}

/** Tells receivers of a new account, and begins its first login. */
async function announceSignup(
  social: Social,
  request: Visit,
  sociallogin: SocialLogin,
  user: User,
): Promise<LoginOutcome> {
  sociallogin.existingUser = user
  sociallogin.user = user
  await recordSocial(social.account, request, sociallogin, user)
  await social.account.signals.emit('user_signed_up', 'User', { request, user, sociallogin })
  const signalArguments = buildSignalArguments(social, request, sociallogin)
  return social.account.login.begin(request, {
    ...firstLoginOptions(social.kernel, sociallogin),
    user,
    signalArguments,
  })
}

/** What the first login of a new account has, and that of nobody with it. */
const firstLoginOptions = (kernel: Kernel, { state }: SocialLogin) =>
  ({
    signup: true,
    emailVerification: kernel.settings.socialaccount.emailVerification,
    redirectUrl: state.next,
  }) as const

/** @throws {InvalidInput} with the errors of all fields; a taken address is told with the name of the provider */
async function cleanSocialSignup(
  social: Social,
  request: Visit,
  sociallogin: SocialLogin,
  given: FormValues,
): Promise<FormValues> {
  const hosts = new Set(social.account.signupForm?.fields(request).map(({ name }) => name))
  const asked = socialSignupFields(social.account, request).filter(({ name }) => !hosts.has(name))
  try {
    const { emailVerification } = social.kernel.settings.socialaccount
    return await cleanSignup(social.account, request, given, { withoutPassword: true, asked, emailVerification })
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw await toConflictError(social, request, sociallogin, error.errors)
  }
}

/** These errors, where a taken address says what can be done: sign in, and connect. */
async function toConflictError(
  social: Social,
  request: Visit,
  { account }: SocialLogin,
  errors: readonly InputError[],
): Promise<InvalidInput> {
  const provider = await social.loadProviderName(request.db, account.provider)
  const told = errors.map((error) => {
    if (error.code !== 'email_taken') return error
    const { message, values } = social.account.adapter.validationError('social_email_taken', { values: { provider } })
    return { ...error, message, values: values ?? {} }
  })
  return new InvalidInput(told)
}

/** Entry of the session that holds a login whose sign-up waits for a form. */
const KEY = 'socialaccount_sociallogin'
/** Whoever left the form open for longer begins anew at the provider. */
const LIFE_MS = 3_600_000

interface StoredSignup {
  readonly sociallogin: unknown
  readonly at_ms: number
}

/** Keeps the login until the visitor has completed the form. Nobody who knew the session before has it. */
function storePendingSignup(social: Social, request: Visit, sociallogin: SocialLogin): void {
  const stored: StoredSignup = {
    sociallogin: social.adapter.serializeInstance(sociallogin),
    at_ms: request.nowMs,
  }
  request.session.set(KEY, stored)
  request.session.cycle()
}

/** Whether one waits, whatever its state: a cheap question. */
const hasPendingSignup = (request: Visit): boolean => request.session.get(KEY) !== undefined

/** The login whose sign-up waits; one that is over or cannot be read is dropped. */
export async function loadPendingSignup(social: Social, request: Visit): Promise<SocialLogin | null> {
  const stored = request.session.get(KEY) as StoredSignup | undefined // written by `keepPendingSignup` alone
  if (stored === undefined) return null
  const isOver = request.nowMs - stored.at_ms > LIFE_MS
  const sociallogin = isOver ? null : await social.adapter.deserializeInstance(request, stored.sociallogin)
  if (sociallogin === null) dropPendingSignup(request)
  return sociallogin
}

/** Forgets it. */
export const dropPendingSignup = (request: Visit): void => request.session.delete(KEY)
