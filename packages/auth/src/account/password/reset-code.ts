import type { Core } from '../../core.ts'
import { InvalidInput } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { type CodeProcess, type CodeProcesses, codeProcesses } from '../code-process.ts'
import { addressesOf } from '../email/mirror.ts'
import { sameText } from '../email/same-text.ts'
import type { LoginOutcome } from '../login.ts'
import { storedAddress } from '../login/stored-address.ts'
import { type CompletedReset, completeReset } from './complete-reset.ts'

/** Codes that were sent to reset a password. */
const resetCodes = (core: Core): CodeProcesses =>
  codeProcesses({
    key: 'account_password_reset_verification',
    timeoutSeconds: core.settings.account.passwordResetByCodeTimeout,
    maxAttempts: core.settings.account.passwordResetByCodeMaxAttempts,
  })

/** A reset under way. `confirmed`: the code was right, and a new password may be given. */
export interface PendingReset {
  readonly process: CodeProcess
  readonly confirmed: boolean
  /** What the visitor typed. */
  readonly email: string
}

/** The reset by code of this visitor; `null`: none, or expired. */
export function pendingReset(core: Core, request: Visit): PendingReset | null {
  const process = resetCodes(core).current(request)
  if (process === null) return null
  return { process, confirmed: process.data['code_confirmed'] === true, email: process.email ?? '' }
}

/** Waits for a code, and mails it to the address as it is stored; for nobody, no code is right. */
export async function startResetCode(core: Core, request: Visit, user: User | null, typed: string): Promise<void> {
  const address = user === null ? null : await storedAddress(core, request, user, typed)
  const begun = { email: typed, phone: null }
  if (user === null || address === null) {
    resetCodes(core).start(request, { ...begun, userId: null, code: '' })
    return
  }
  const code = core.adapter.generatePasswordResetCode()
  resetCodes(core).start(request, { ...begun, userId: user.id, code, data: { address } })
  await core.adapter.sendMail(request, 'account/email/password_reset_code', address, { user, code })
}

/**
 * Tries a code. The right one proves that the person has the address; a client that gives it once more with the new
 * password finds it right again.
 * @returns `confirmed`, or `ended`: the tries are used up and the reset is gone
 * @throws {InvalidInput} `incorrect_code`
 * @throws {AuthError} `session_conflict` when another try came in between: nothing has happened
 */
export async function tryResetCode(
  core: Core,
  request: Visit,
  { process }: PendingReset,
  code: string,
): Promise<'confirmed' | 'ended'> {
  const user = await userOfReset(core, request, process)
  const tried = await resetCodes(core).attempt(request, user === null ? { ...process, code: '' } : process, code)
  if (tried === 'right' && user !== null) {
    const data = { ...process.data, code_confirmed: true }
    resetCodes(core).replace(request, { ...process, data })
    await markProved(core, request, user, String(process.data['address']))
    return 'confirmed'
  }
  const last = tried === 'last_wrong'
  const rejected = { request, last_attempt: last }
  if (user !== null) await core.signals.emit('password_reset_code_rejected', 'CodeProcess', { ...rejected, user })
  if (last) return 'ended'
  throw new InvalidInput([core.adapter.validationError('incorrect_code', { param: 'code' })])
}

/** Whose password a reset is about; `null`: nobody's, or the account is gone or disabled. */
export async function userOfReset(core: Core, request: Visit, process: CodeProcess): Promise<User | null> {
  const user = process.userId === null ? null : await core.users.byId(request.db, process.userId)
  return user?.isActive === true ? user : null
}

/** Ends a reset whose code was right, so that it counts once. @throws {AuthError} `session_conflict` */
async function spendReset(core: Core, request: Visit): Promise<void> {
  resetCodes(core).drop(request)
  await request.session.commit()
}

/** Stores the new password of a reset whose code was right. @throws {AuthError} `session_conflict` */
export async function resetByCode(
  core: Core,
  request: Visit,
  { process }: PendingReset,
  reset: Pick<CompletedReset, 'user' | 'password' | 'redirectUrl'>,
): Promise<LoginOutcome | null> {
  await spendReset(core, request)
  return completeReset(core, request, { ...reset, email: String(process.data['address']) })
}

async function markProved(core: Core, request: Visit, user: User, email: string): Promise<void> {
  await request.transaction(async () => {
    const address = (await addressesOf(core, request, user)).find((row) => sameText(row.email) === sameText(email))
    if (address?.verified === false) await core.adapter.confirmEmail(request, address)
  })
}
