import type { Account } from '../account.ts'
import { InvalidInput } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { foldText } from '../email/same-text.ts'
import { hasConfirmEmailSlot } from '../email/verification.ts'
import type { LoginOutcome } from '../../kernel/login.ts'
import { authenticateCredentials } from './credentials.ts'
import type { Identified } from './identify.ts'
import { findStoredAddress } from './stored-address.ts'

/** Identifiers and password of a login. */
type Given = Identified & { readonly password: string; readonly redirectUrl?: string | null }

/**
 * Signs in by password and runs the stages. Responds the same to an unknown user, a wrong password and an account
 * without one.
 * @throws {InvalidInput} `<method>_password_mismatch`, `too_many_login_attempts`
 */
export async function passwordLogin(account: Account, request: Visit, given: Given): Promise<LoginOutcome> {
  const begin = await checkPasswordLogin(account, request, given)
  return begin()
}

/** Checks the credentials, the first half of `passwordLogin`. @returns the login to start */
export async function checkPasswordLogin(
  account: Account,
  request: Visit,
  given: Given,
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

/** A login that would wait for a code by mail is refused while no mail may go there: it would wait for nothing. */
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
