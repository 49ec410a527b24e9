import type { Account } from '../../account/account.ts'
import { foldText } from '../../account/email/clean-address.ts'
import { readTextField } from '../../account/email/forms.ts'
import { checkSignup, cleanSignup, type Conflict, findConflict } from '../../account/signup/clean.ts'
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
 * Signs up a new user from a provider: creates the account right away if the provider returned enough data, otherwise
 * keeps the login until a form is completed.
 * @throws {AccountTaken} if another request linked the account first
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

/** Returns the phone that a new account would have to verify first, or `null`. */
async function findPhoneToVerify(account: Account, request: Visit, { phone }: SocialLogin): Promise<string | null> {
  if (phone === null || phone.verified) return null
  if (!account.kernel.settings.account.signupFields.some(({ name }) => name === 'phone')) return null
  return (await account.adapter.getUserByPhone(request, phone.phone)) === null ? phone.phone : null
}

/** Returns whether the provider's data alone is enough for an account. */
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
  // The same user may have just taken the address in another browser.
  const { provider, uid } = sociallogin.account
  if ((await social.accounts.find(request.db, provider, uid)) !== null) throw new AccountTaken()
  if (kind !== 'none') return kind === 'hidden' ? 'hidden' : 'form'
  const phone = social.kernel.settings.account.signupFields.find(({ name }) => name === 'phone')
  if (phone?.required !== true) return 'auto'
  const told = sociallogin.phone?.phone ?? null
  const isFree = told !== null && (await social.account.adapter.getUserByPhone(request, told)) === null
  return isFree ? 'auto' : 'form'
}

/** Returns `null` if the address or name has just been taken, so that the visitor must choose another one. */
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

/** Returns the provider's username if it's valid and free; otherwise an empty text, and one is generated. */
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
 * Locks the account, address, and phone until the end of the transaction, and checks for a conflict.
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
 * Completes the session's pending sign-up with the visitor's input.
 * @throws {InvalidInput} `email_taken`, `username_taken` …
 * @throws {AuthError} `flow_wrong_stage` if none is pending; `permission_denied` if sign-up is closed
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

/** Stores the user. @returns `null` if the address or phone is taken, which must not be revealed */
function storeSignup(
  social: Social,
  request: Visit,
  sociallogin: SocialLogin,
  { values, wanted }: { readonly values: FormValues; readonly wanted: Wanted },
): Promise<User | null> {
  return request.transaction(async () => {
    dropPendingSignup(request)
    // If two requests complete the same sign-up, only one of them succeeds.
    await request.session.commit()
    const conflict = await claimAndFindConflict(social, request, sociallogin, wanted)
    if (conflict.kind === 'refused') throw await toConflictError(social, request, sociallogin, conflict.errors)
    if (conflict.kind === 'hidden') return null
    // The form may have no username field; then the provider's username is used.
    sociallogin.user = { ...sociallogin.user, username: await chooseUsername(social.account, request, sociallogin) }
    const stored = await social.adapter.saveUser(request, sociallogin, values)
    await social.account.signupForm?.signup(request, stored, values)
    return (await social.kernel.users.byId(request.db, stored.id)) ?? stored
  })
}

/** Starts a login without a user, because the address or phone is taken, which must not be revealed. */
async function pretendSocialSignup(
  account: Account,
  request: Visit,
  sociallogin: SocialLogin,
  { email, phone }: Wanted,
): Promise<LoginOutcome> {
  await recordSocial(account, request, sociallogin, null)
  return account.login.begin(request, { ...firstLoginOptions(account.kernel, sociallogin), user: null, email, phone })
}

/** Emits the signal of a new account and starts its first login. */
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

/** Returns the options of a first login, with or without a user. */
const firstLoginOptions = (kernel: Kernel, { state }: SocialLogin) =>
  ({
    signup: true,
    emailVerification: kernel.settings.socialaccount.emailVerification,
    redirectUrl: state.next,
  }) as const

/** Cleans the form. @throws {InvalidInput} with the errors of all fields; for a taken address, it names the provider */
const cleanSocialSignup = (
  social: Social,
  request: Visit,
  sociallogin: SocialLogin,
  given: FormValues,
): Promise<FormValues> =>
  withConflictError(social, request, sociallogin, () =>
    cleanSignup(social.account, request, given, signupOptions(social, request)),
  )

/** Checks the form, except by the host's, and stores nothing. @throws {InvalidInput} as `completeSignup` */
export const checkSocialSignup = (
  social: Social,
  request: Visit,
  sociallogin: SocialLogin,
  given: FormValues,
): Promise<FormValues> =>
  withConflictError(social, request, sociallogin, () =>
    checkSignup(social.account, request, given, signupOptions(social, request)),
  )

function signupOptions(social: Social, request: Visit): Parameters<typeof checkSignup>[3] {
  const hosts = new Set(social.account.signupForm?.fields(request).map(({ name }) => name))
  const asked = socialSignupFields(social.account, request).filter(({ name }) => !hosts.has(name))
  const { emailVerification } = social.kernel.settings.socialaccount
  return { withoutPassword: true, asked, emailVerification }
}

async function withConflictError<T>(
  social: Social,
  request: Visit,
  sociallogin: SocialLogin,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw await toConflictError(social, request, sociallogin, error.errors)
  }
}

/** Returns these errors. That of a taken address explains what to do: sign in, then connect. */
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

/** Session entry of a login with a pending sign-up. */
const KEY = 'socialaccount_sociallogin'
/** After this time, the visitor has to start again at the provider. */
const LIFE_MS = 3_600_000

interface StoredSignup {
  readonly sociallogin: unknown
  readonly at_ms: number
}

/** Keeps the login until the form is completed. Issues a new session token, against session fixation. */
function storePendingSignup(social: Social, request: Visit, sociallogin: SocialLogin): void {
  const stored: StoredSignup = {
    sociallogin: social.adapter.serializeInstance(sociallogin),
    at_ms: request.nowMs,
  }
  request.session.set(KEY, stored)
  request.session.cycle()
}

/** Returns whether the session has one, even if it has expired. */
const hasPendingSignup = (request: Visit): boolean => request.session.get(KEY) !== undefined

/** Returns the login with a pending sign-up. Drops one that has expired or can't be read. */
export async function loadPendingSignup(social: Social, request: Visit): Promise<SocialLogin | null> {
  const stored = request.session.get(KEY) as StoredSignup | undefined // written only by `storePendingSignup`
  if (stored === undefined) return null
  const isOver = request.nowMs - stored.at_ms > LIFE_MS
  const sociallogin = isOver ? null : await social.adapter.deserializeInstance(request, stored.sociallogin)
  if (sociallogin === null) dropPendingSignup(request)
  return sociallogin
}

/** Drops the pending sign-up. */
export const dropPendingSignup = (request: Visit): void => request.session.delete(KEY)
