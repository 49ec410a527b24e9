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

/** Returns whether another user has the number. @throws {InvalidInput} `phone_taken`, where that may be revealed */
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
  /** Another account has it, which must not be seen: no code is right. */
  readonly hidden: boolean
}

/** What a new number must fulfil. @throws {InvalidInput} `invalid_phone`, `same_as_current`, `phone_taken` */
export async function cleanNewPhone(account: Account, request: Visit, user: User, typed: string): Promise<NewPhone> {
  const phone = await cleanPhoneNumber(account, request, typed)
  const present = await account.adapter.getPhone(request, user)
  if (present?.phone === phone) throw phoneInputError(account, 'same_as_current')
  return { phone, hidden: await isTaken(account, request, phone, user) }
}

/**
 * Starts changing a signed-in user's number: sends a code to the new number, which is stored once the code is entered.
 * Uses the rate limit of the page (`change_phone`).
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
 * Takes another number for the login that waits for a code, and sends the code there.
 * @returns `false`: not (any more) offered
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

/** `+`, then 6 to 15 digits of which the first is not 0. @see ITU-T E.164 */
const E164 = /^\+[1-9]\d{5,14}$/
/** What people put between digits: blanks and dashes of all scripts, dots, slashes, brackets, invisible marks. */
const GROUPING = /[\s\p{Pd}./()\u200b-\u200f\u202a-\u202e\u2060\ufeff]/gu
/** The zero of domestic calls, which must not be dialled after a country code: the number could mean two things. */
const TRUNK_ZERO = /\(\s*0\s*\)/

/** The number as it is stored, `+31612345678`, for one that a person typed; `null`: none with a country code. */
export function parsePhone(typed: string): string | null {
  const text = typed.normalize('NFKC')
  const phone = text.replaceAll(GROUPING, '')
  return E164.test(phone) && !TRUNK_ZERO.test(text) ? phone : null
}

/** @throws {InvalidInput} `invalid_phone`, or what the hook `cleanPhone` refuses with */
export async function cleanPhoneNumber(account: Account, request: Visit, typed: string): Promise<string> {
  const phone = parsePhone(typed)
  if (phone === null) throw new InvalidInput([account.adapter.validationError('invalid_phone', { param: 'phone' })])
  return withFieldErrors('phone', () => account.adapter.cleanPhone(request, phone))
}
