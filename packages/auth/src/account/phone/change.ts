import { InvalidInput } from '../../errors.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import { withFieldErrors } from '../email/clean-address.ts'
import { lockClaim } from '../contact-stores.sql.ts'
import {
  type PendingPhoneCode,
  phoneCodes,
  savePhoneCodeProcess,
  sendPhoneCode,
  startPhoneCode,
  takeVerifyPhoneSlot,
} from './code-verification.ts'

const phoneInputError = (account: Account, code: string): InvalidInput =>
  new InvalidInput([account.adapter.validationError(code, { param: 'phone' })])

/** Returns whether another user has the number. @throws {InvalidInput} `phone_taken` if that may be revealed */
async function isTaken(account: Account, request: Visit, phone: string, user: User | null): Promise<boolean> {
  const owner = await account.adapter.getUserByPhone(request, phone)
  const taken = owner !== null && owner.id !== user?.id
  if (taken && account.kernel.settings.account.preventEnumeration === false)
    throw phoneInputError(account, 'phone_taken')
  return taken
}

/** A new number for a signed-in user. */
interface NewPhone {
  readonly phone: string
  /** Whether another account has it, which must not be revealed: every code is then wrong. */
  readonly hidden: boolean
}

/** Cleans and checks a new number. @throws {InvalidInput} `invalid_phone`, `same_as_current`, `phone_taken` */
export async function cleanNewPhone(account: Account, request: Visit, user: User, typed: string): Promise<NewPhone> {
  const phone = await cleanPhoneNumber(account, request, typed)
  const present = await account.adapter.getPhone(request, user)
  if (present?.phone === phone) throw phoneInputError(account, 'same_as_current')
  return { phone, hidden: await isTaken(account, request, phone, user) }
}

/**
 * Starts changing a signed-in user's number: sends a code to the new number, which is stored once the code is entered.
 * Takes no rate limit slot: the page's limit (`change_phone`) applies.
 */
export const changePhone = (account: Account, request: Visit, user: User, changed: NewPhone): Promise<void> =>
  startPhoneCode(account, request, { user, ...changed, signup: false, stage: false })

/** Sends a code to verify the user's current number. Returns `false` if there is none or it's already verified. */
export async function verifyCurrentPhone(account: Account, request: Visit, user: User): Promise<boolean> {
  const present = await account.adapter.getPhone(request, user)
  if (present === null || present.verified) return false
  await startPhoneCode(account, request, { user, phone: present.phone, signup: false, stage: false })
  return true
}

/** Returns whether the visitor may still switch to another number: only new users, who can't have used the first one. */
export function canChangePhone(kernel: Kernel, { process, login, user }: PendingPhoneCode): boolean {
  if (login === null || process.changeCount >= kernel.settings.account.phoneVerificationSupportsChange) return false
  return user === null ? login.signup : user.lastLoginMs === null
}

/**
 * Changes the number of the login that is waiting for a code, and sends the code to the new one.
 * @returns `false` if changing the number isn't offered (any more)
 * @throws {InvalidInput} `invalid_phone`, `same_as_current`, `phone_taken`
 * @throws {AuthError} `rate_limited`; `session_conflict`
 */
export async function changePhoneAtStage(
  account: Account,
  request: Visit,
  pending: PendingPhoneCode,
  typed: string,
): Promise<boolean> {
  const { process, user, login } = pending
  if (login === null || !canChangePhone(account.kernel, pending)) return false
  const phone = await cleanPhoneNumber(account, request, typed)
  if (phone === pending.phone) throw phoneInputError(account, 'same_as_current')
  const taken = await isTaken(account, request, phone, user)
  const slot = await takeVerifyPhoneSlot(request, phone)
  const counted = { ...process, changeCount: process.changeCount + 1 }
  await savePhoneCodeProcess(request, counted, slot)
  const stored = user !== null && !taken && (await storePhone(account, request, user, phone))
  if (stored) account.login.update(request, { ...login, phone })
  const code = account.adapter.generatePhoneVerificationCode()
  const changed = { ...counted, phone, userId: stored ? user.id : null, code }
  phoneCodes(account.kernel).replace(request, changed)
  await sendPhoneCode(account, request, changed, user)
  return true
}

async function storePhone(account: Account, request: Visit, user: User, phone: string): Promise<boolean> {
  return request.transaction(async () => {
    await lockClaim(account.kernel, request.db, 'phone', phone)
    const owner = await account.adapter.getUserByPhone(request, phone)
    if (owner !== null && owner.id !== user.id) return false
    return account.adapter.setPhone(request, user, phone, false)
  })
}

/** `+`, then 6 to 15 digits, the first of which isn't 0. @see ITU-T E.164 */
const E164 = /^\+[1-9]\d{5,14}$/
/** Characters that people put between digits: spaces, dashes, dots, slashes, parentheses, and invisible marks. */
const GROUPING = /[\s\p{Pd}./()\u200b-\u200f\u202a-\u202e\u2060\ufeff]/gu
/** A trunk prefix, as in `+44 (0)20`. It isn't dialed after a country code, so the number is ambiguous. */
const TRUNK_ZERO = /\(\s*0\s*\)/

/** Returns a typed number as stored, e.g. `+31612345678`, or `null` if it isn't a number with a country code. */
export function parsePhone(typed: string): string | null {
  const text = typed.normalize('NFKC')
  const phone = text.replaceAll(GROUPING, '')
  return E164.test(phone) && !TRUNK_ZERO.test(text) ? phone : null
}

/** Cleans a typed number. @throws {InvalidInput} `invalid_phone`, or the error of the hook `cleanPhone` */
export async function cleanPhoneNumber(account: Account, request: Visit, typed: string): Promise<string> {
  const phone = parsePhone(typed)
  if (phone === null) throw new InvalidInput([account.adapter.validationError('invalid_phone', { param: 'phone' })])
  return withFieldErrors('phone', () => account.adapter.cleanPhone(request, phone))
}
