import { InvalidInput } from '../../errors.ts'
import { isEmailSyntax } from '../../kernel/forms/form.ts'
import type { LoginOutcome } from '../../kernel/login.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import type { Credentials } from '../adapter.ts'
import { foldText } from '../email/clean-address.ts'
import { hasConfirmEmailSlot } from '../email/verification.ts'
import { parsePhone } from '../phone/change.ts'
import { findStoredAddress } from './code-delivery.ts'
import { authenticateCredentials } from './credentials.ts'

/** Identifiers and password of a login. */
type PasswordLoginInput = Identified & { readonly password: string; readonly redirectUrl?: string | null }

/**
 * Signs in by password and runs the stages. Responds the same to an unknown user, a wrong password, and an account
 * without a password.
 * @throws {InvalidInput} `<method>_password_mismatch`, `too_many_login_attempts`
 */
export async function passwordLogin(
  account: Account,
  request: Visit,
  given: PasswordLoginInput,
): Promise<LoginOutcome> {
  const begin = await checkPasswordLogin(account, request, given)
  return begin()
}

/** Checks the credentials: the first half of `passwordLogin`. Returns a function that starts the login. */
export async function checkPasswordLogin(
  account: Account,
  request: Visit,
  given: PasswordLoginInput,
): Promise<() => Promise<LoginOutcome>> {
  const { method } = given
  const identifiers = await cleanIdentifiers(account, request, given.identifiers)
  const user = await authenticateCredentials(account, request, { ...identifiers, password: given.password })
  if (user === null) throw new InvalidInput([account.adapter.validationError(`${method}_password_mismatch`)])
  const email = method === 'email' ? await findStoredAddress(account, request, user, identifiers.email ?? '') : null
  const phone = method === 'phone' ? (identifiers.phone ?? null) : null
  await requireSendableCode(account, request, { user, email })
  return async () => {
    await account.login.record(request, { method: 'password', [method]: email ?? identifiers[method] ?? '' }, user)
    return account.login.begin(request, { user, email, phone, redirectUrl: given.redirectUrl ?? null })
  }
}

async function cleanIdentifiers(
  account: Account,
  request: Visit,
  identifiers: Identified['identifiers'],
): Promise<Identified['identifiers']> {
  if (identifiers.phone === undefined) return identifiers
  return { ...identifiers, phone: await account.adapter.cleanPhone(request, identifiers.phone) }
}

/** Refuses a login that would wait for an emailed code while the rate limit prevents sending one. */
async function requireSendableCode(
  account: Account,
  request: Visit,
  { user, email }: { readonly user: User; readonly email: string | null },
): Promise<void> {
  const { emailVerification, emailVerificationByCodeEnabled } = account.kernel.settings.account
  if (!emailVerificationByCodeEnabled || emailVerification !== 'mandatory' || !user.isActive) return
  const addresses = await account.emails.ofUser(request.db, user.id)
  const used = addresses.filter((row) => email === null || foldText(row.email) === foldText(email))
  if (used.some(({ verified }) => verified)) return
  const address = email ?? addresses.find(({ primary }) => primary)?.email ?? user.email
  if (!(await hasConfirmEmailSlot(request, address)))
    throw new InvalidInput([account.adapter.validationError('too_many_login_attempts')])
}

/** An identifier that a user can sign in with. */
export type LoginMethod = 'username' | 'email' | 'phone'

/** A typed login identifier and its kind. */
export interface Identified {
  /** Determines the error code, `<method>_password_mismatch`. */
  readonly method: LoginMethod
  /** One or two identifiers to look the user up by. */
  readonly identifiers: Omit<Credentials, 'password'>
}

/**
 * Detects what kind of identifier was typed: the only enabled method, otherwise an email address or phone by its form,
 * otherwise a username. Where usernames are enabled, other kinds are tried as usernames too.
 * @param methods `loginMethods` of the settings.
 */
export function identify(typed: string, methods: readonly LoginMethod[]): Identified {
  const method = detectLoginMethod(typed, methods)
  const identifier = method === 'phone' ? (parsePhone(typed) ?? typed) : typed
  const byName = method !== 'username' && methods.includes('username') ? { username: typed } : {}
  return { method, identifiers: { ...byName, [method]: identifier } }
}

function detectLoginMethod(typed: string, methods: readonly LoginMethod[]): LoginMethod {
  const [first = 'username'] = methods
  if (methods.length === 1) return first
  if (methods.includes('email') && isEmailSyntax(typed)) return 'email'
  if (methods.includes('phone') && parsePhone(typed) !== null) return 'phone'
  return methods.includes('username') ? 'username' : first
}
