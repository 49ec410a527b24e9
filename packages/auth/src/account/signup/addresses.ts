import type { Account } from '../account.ts'
import { isUniqueViolation } from '@gatepost/sql'
import { InvalidInput } from '../../errors.ts'
import { isEmailSyntax } from '../../kernel/forms/email-syntax.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { setMirror } from '../email/mirror.ts'
import { foldText } from '../email/same-text.ts'

/** An address that a new account may get. */
export interface Candidate {
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
  told: readonly Candidate[] = [],
): Promise<User> {
  const verified = user.email !== '' && account.adapter.isEmailVerified(request, user.email)
  const stashed = account.adapter.unstashVerifiedEmail(request)
  const candidates = [
    ...(stashed === null ? [] : [{ email: stashed, verified: true, primary: true }]),
    ...(user.email === '' ? [] : [{ email: user.email, verified, primary: true }]),
    ...told,
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
