import { isUniqueViolation } from '@gatepost/sql'
import { InvalidInput } from '../../errors.ts'
import { isEmailSyntax, type FormValues } from '../../kernel/forms/form.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { RateSubject } from '../../kernel/limits/rate-limits.ts'
import { requireSlot } from '../../kernel/limits/take.ts'
import type { LoginOutcome, NewLogin } from '../../kernel/login.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import { foldText } from '../email/clean-address.ts'
import { readTextField } from '../email/forms.ts'
import { setMirror } from '../email/mirror.ts'
import { TRAPPED } from '../email/verification.ts'
import { lockClaim } from '../contact-stores.sql.ts'
import { findConflict } from './clean.ts'

/** Result of saving a sign-up. */
export interface SignedUp {
  /** `null` if no user was created: the address or phone is taken, which must not be revealed, or `trapped` is set. */
  readonly user: User | null
  readonly email: string | null
  readonly phone: string | null
  /** Whether a bot filled in the honeypot. The response must not reveal that it was detected. */
  readonly trapped: boolean
}

/**
 * Stores the account, its addresses, and its phone in one transaction, after `cleanSignup`. If two sign-ups with the
 * same address, phone, or username run at once, the second one gets a conflict.
 * @throws {InvalidInput} `email_taken`, `phone_taken`, `username_taken` if taken since `cleanSignup`
 * @throws {AuthError} `rate_limited` if the code can't be sent now; nothing is created then
 */
export async function saveSignup(account: Account, request: Visit, values: FormValues): Promise<SignedUp> {
  const email = readTextField(values, 'email') || null
  const phone = readTextField(values, 'phone') || null
  const trapped = isHoneypotFilled(request, values)
  await checkSendable(request, email, phone)
  if (trapped) return { user: null, email, phone, trapped }
  const user = await request.transaction(async () => {
    if (email !== null) await lockClaim(account.kernel, request.db, 'email', foldText(email))
    if (phone !== null) await lockClaim(account.kernel, request.db, 'phone', phone)
    const conflict = await findConflict(account, request, { email, phone })
    if (conflict.kind === 'refused') throw new InvalidInput(conflict.errors)
    if (conflict.kind === 'hidden') return null
    const stored = await account.adapter.saveUser(request, account.adapter.newUser(request), values)
    await account.signupForm?.signup(request, stored, values)
    return storeAddresses(account, request, stored)
  })
  return { user, email, phone, trapped }
}

function isHoneypotFilled(request: Visit, values: FormValues): boolean {
  const name = request.kernel.settings.account.signupFormHoneypotField
  return name !== null && (readTextField(values, name) !== '' || (request.form.get(name) ?? '') !== '')
}

/** Checks that the verification code can be sent: otherwise the account would be stored and couldn't be used. */
async function checkSendable(request: Visit, email: string | null, phone: string | null): Promise<void> {
  const { emailVerification, emailVerificationByCodeEnabled, phoneVerificationEnabled } =
    request.kernel.settings.account
  const next: readonly [action: string, subject: RateSubject] | null =
    phone !== null && phoneVerificationEnabled
      ? ['verify_phone', { ip: request.clientIp, key: phone }]
      : email !== null && emailVerification === 'mandatory' && emailVerificationByCodeEnabled
        ? ['confirm_email', { key: foldText(email) }]
        : null
  if (next !== null) requireSlot(await request.kernel.limits.check(...next, request.nowMs))
}

/**
 * Continues after `saveSignup`: emits the signals and starts the login of the new account. If no user was created, the
 * visitor goes through the same steps.
 * @param stageData Initial data of the stages of this login, by key.
 */
export async function beginSignup(
  account: Account,
  request: Visit,
  signedUp: SignedUp,
  stageData: NewLogin['stageData'] = {},
): Promise<LoginOutcome> {
  const { user, email, phone, trapped } = signedUp
  if (user !== null) await account.signals.emit('user_signed_up', 'User', { request, user })
  if (trapped) {
    if (!requiresVerification(account.kernel, email, phone)) {
      return { kind: 'stopped', redirectTo: request.next ?? account.adapter.getSignupRedirectUrl(request) }
    }
    request.notes.set(TRAPPED, true)
  }
  return account.login.begin(request, { user, signup: true, email, phone, redirectUrl: request.next, stageData })
}

/** Returns whether a new account with these has to be verified before its first login. */
function requiresVerification(kernel: Kernel, email: string | null, phone: string | null): boolean {
  const { emailVerification, phoneVerificationEnabled } = kernel.settings.account
  return (email !== null && emailVerification === 'mandatory') || (phone !== null && phoneVerificationEnabled)
}

/** An address that a new account can get. */
interface Candidate {
  readonly email: string
  readonly verified: boolean
  readonly primary: boolean
}

/**
 * Chooses the addresses of a new account: drops invalid ones, merges duplicates and picks the primary one. Prefers one
 * that is verified and marked primary, then verified, then marked primary, then the first.
 */
export function chooseAddresses(candidates: readonly Candidate[]): readonly Candidate[] {
  const merged = new Map<string, Candidate>()
  for (const { email: given, verified, primary } of candidates) {
    const email = foldText(given)
    if (!isEmailSyntax(email)) continue
    const before = merged.get(email)
    merged.set(email, {
      email,
      verified: verified || (before?.verified ?? false),
      primary: primary || (before?.primary ?? false),
    })
  }
  const addresses = [...merged.values()]
  const primary =
    addresses.find((address) => address.primary && address.verified) ??
    addresses.find(({ verified }) => verified) ??
    addresses.find((address) => address.primary) ??
    addresses[0]
  return addresses.map((address) => ({ ...address, primary: address === primary }))
}

/**
 * Stores the addresses of a new account and mirrors the primary one: stashed addresses (invitations), addresses
 * entered by the user, and addresses from the provider. Runs in the sign-up transaction.
 */
export async function storeAddresses(
  account: Account,
  request: Visit,
  user: User,
  provided: readonly Candidate[] = [],
): Promise<User> {
  const verified = user.email !== '' && account.adapter.isEmailVerified(request, user.email)
  const stashed = account.adapter.unstashVerifiedEmail(request)
  const candidates = [
    ...(stashed === null ? [] : [{ email: stashed, verified: true, primary: true }]),
    ...(user.email === '' ? [] : [{ email: user.email, verified, primary: true }]),
    ...provided,
  ]
  const free: Candidate[] = []
  for (const candidate of candidates) if (await isFree(account, request, user, candidate)) free.push(candidate)
  const addresses = chooseAddresses(free)
  for (const address of addresses) await insertCandidate(account, request, user, address)
  const primary = addresses.find((address) => address.primary)
  return setMirror(request, user, primary?.email ?? '')
}

/** @throws {InvalidInput} `email_taken` if another user verified a stashed or provider address at the same moment */
async function insertCandidate(account: Account, request: Visit, user: User, address: Candidate): Promise<void> {
  try {
    await account.emails.insert(request.db, { userId: user.id, ...address })
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw new InvalidInput([account.adapter.validationError('email_taken', { param: 'email' })])
  }
}

/**
 * Returns whether the address can be stored. In strict mode only a second verified one conflicts, so nothing is
 * revealed.
 */
async function isFree(account: Account, request: Visit, user: User, { email, verified }: Candidate): Promise<boolean> {
  const { uniqueEmail, preventEnumeration } = account.kernel.settings.account
  if (!uniqueEmail) return true
  if (preventEnumeration !== 'strict') return !(await account.emails.isTaken(request.db, email, user.id))
  return !verified || !(await account.emails.isVerifiedElsewhere(request.db, email, null))
}
