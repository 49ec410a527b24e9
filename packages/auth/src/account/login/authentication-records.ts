import type { Account } from '../account.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { AuthenticationRecord } from '../../kernel/login.ts'

const KEY = 'account_authentication_methods'
/** A session confirmed again and again keeps the newest ones. */
const MAX_RECORDS = 20

/** How the person of this session has proved who they are, oldest first. */
export function authenticationRecords(request: Visit): readonly AuthenticationRecord[] {
  const records = request.session.get(KEY)
  return Array.isArray(records) ? (records as readonly AuthenticationRecord[]) : [] // written here alone
}

/**
 * Adds a record, and tells receivers of `authentication_step_completed`. The session of somebody else is given up: what
 * this person has proved must not count for that one.
 */
export async function addRecord(
  account: Account,
  request: Visit,
  record: Omit<AuthenticationRecord, 'at'>,
  user: User | null,
): Promise<void> {
  const { method, ...details } = record
  if (request.user !== null && request.user.id !== user?.id) await account.adapter.logout(request)
  const added = { ...details, method: String(method), at: request.nowMs / 1000 }
  request.session.set(KEY, [...authenticationRecords(request), added].slice(-MAX_RECORDS))
  if (user === null) return
  const event = { ...details, method: added.method, request, user }
  await request.afterCommit(() => account.signals.emit('authentication_step_completed', 'User', event))
}

/** What was proved for a login that came to nothing says nothing about the next one: only this request's stays. */
export function forgetOlderRecords(request: Visit): void {
  const records = authenticationRecords(request)
  const own = records.filter(({ at }) => at === request.nowMs / 1000)
  if (own.length < records.length) request.session.set(KEY, own)
}

/** Whether the newest record is younger than `reauthenticationTimeout`, or the user has no way to make another. */
export async function isRecentlyAuthenticated(account: Account, request: Visit): Promise<boolean> {
  if (request.user === null) return false
  const newest = authenticationRecords(request).at(-1)
  const { reauthenticationTimeout } = account.kernel.settings.account
  if (newest !== undefined && request.nowMs / 1000 - newest.at < reauthenticationTimeout) return true
  return (await account.adapter.getReauthenticationMethods(request, request.user)).length === 0
}
