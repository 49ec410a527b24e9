import { createHmac } from 'node:crypto'
import { accountOfUser } from '../account-store.sql.ts'
import type { Audit, AuditEntry } from './audit.ts'
import type { GatewayTables } from '../schema.ts'
import type { Visit, AuthSignals, Signals, User } from '@gatepost/auth'
import type { Secret } from '@gatepost/channels'
import type { Database } from '@gatepost/sql'

type OfUser = {
  [N in keyof AuthSignals]: AuthSignals[N] extends { readonly user: User } ? N : never
}[keyof AuthSignals]

/** Actions of the user. */
const DONE: readonly OfUser[] = [
  'user_signed_up',
  'user_logged_in',
  'user_logged_out',
  'password_set',
  'password_changed',
  'password_reset',
  'email_confirmed',
  'email_changed',
  'email_added',
  'email_removed',
  'authenticator_added',
  'authenticator_removed',
  'authenticator_reset',
  'social_account_removed',
  'client_allowed',
  'client_revoked',
]
/** Failed attempts, possibly by someone else. */
const REJECTED: readonly OfUser[] = [
  'login_code_rejected',
  'password_reset_code_rejected',
  'email_verification_code_rejected',
  'authentication_failed',
]

/** Records account events. */
export function auditSignals(signals: Signals<AuthSignals>, audit: Audit, database: Database<GatewayTables>): void {
  const note = async (
    name: OfUser,
    { request, user, ...event }: { readonly request: Visit | null; readonly user: User },
  ): Promise<void> => {
    const isDone = DONE.includes(name)
    const entry = async (): Promise<void> =>
      audit.record({
        actor: isDone ? String(user.id) : '-',
        actorKind: isDone ? 'session' : 'visitor',
        accountId: await accountOfUser(database.db, String(user.id)),
        action: name,
        target: findTarget(event),
        ...toClientFields(request),
        outcome: isDone ? 'ok' : 'refused',
        code: null,
      })
    await (request === null ? entry() : request.afterCommit(entry))
  }
  for (const name of [...DONE, ...REJECTED]) signals.on(name, (event) => note(name, event))
  signals.on('social_account_added', async ({ request, sociallogin: { account, existingUser } }) => {
    if (existingUser === null) return
    const entry = async (): Promise<void> =>
      audit.record({
        actor: String(existingUser.id),
        actorKind: 'session',
        accountId: await accountOfUser(database.db, String(existingUser.id)),
        action: 'social_account_added',
        target: account.provider,
        ...toClientFields(request),
        outcome: 'ok',
        code: null,
      })
    await (request === null ? entry() : request.afterCommit(entry))
  })
  signals.on('session_client_changed', ({ request, to_session: session }) =>
    auditSession({ audit, database }, request, 'session_client_changed', session),
  )
}

/** Records an event of one session. */
export async function auditSession(
  { audit, database }: { readonly audit: Audit; readonly database: Database<GatewayTables> },
  request: Visit | null,
  action: 'session_client_changed' | 'session_ended',
  { id, userId }: { readonly id: number; readonly userId: User['id'] },
): Promise<void> {
  const entry = async (): Promise<void> =>
    audit.record({
      actor: String(userId),
      actorKind: 'session',
      accountId: await accountOfUser(database.db, String(userId)),
      action,
      target: `session ${id}`,
      ...toClientFields(request),
      outcome: 'ok',
      code: null,
    })
  await (request === null ? entry() : request.afterCommit(entry))
}

/** Records what a staff member submits on a page. The path identifies the object. */
export async function auditStaffPage(
  { audit, database }: { readonly audit: Audit; readonly database: Database<GatewayTables> },
  request: Visit,
  { id }: User,
  isAllowed: boolean,
): Promise<void> {
  if (request.method !== 'POST') return
  const entry = async (): Promise<void> =>
    audit.record({
      actor: String(id),
      actorKind: 'session',
      accountId: await accountOfUser(database.db, String(id)),
      action: 'staff_page_sent',
      target: request.url.pathname,
      ...toClientFields(request),
      outcome: isAllowed ? 'ok' : 'refused',
      code: isAllowed ? null : 'second_factor_required',
    })
  await (isAllowed ? request.afterCommit(entry) : entry())
}

const toClientFields = (request: Visit | null): Pick<AuditEntry, 'ip' | 'userAgent'> => ({
  ip: request?.clientIp ?? null,
  userAgent: request?.userAgent ?? null,
})

/** Identifies the object of an event: the row of an email address (never the address), the social login provider, the id
 * of an OAuth client, or the type and row of a second factor. */
function findTarget(event: object): string | null {
  const factor: unknown = Reflect.get(event, 'authenticator')
  if (typeof factor === 'object' && factor !== null && 'type' in factor && 'id' in factor) {
    return `${String(factor.type)} ${String(factor.id)}`
  }
  const client: unknown = Reflect.get(event, 'client')
  if (typeof client === 'object' && client !== null && 'id' in client) return `client ${String(client.id)}`
  const linked: unknown = Reflect.get(event, 'socialaccount')
  if (typeof linked === 'object' && linked !== null && 'provider' in linked) return String(linked.provider)
  for (const name of ['email_address', 'to_email_address']) {
    const address: unknown = Reflect.get(event, name)
    if (typeof address === 'object' && address !== null && 'id' in address) return `email ${String(address.id)}`
  }
  return null
}

/**
 * Records a failed sign-in. The typed name may be a mistyped password and identifies a person, so only a keyed hash is
 * stored.
 */
export async function auditFailedLogin(
  audit: Audit,
  key: Secret,
  request: Visit,
  typed: { readonly username?: string; readonly email?: string; readonly phone?: string },
): Promise<void> {
  const name = typed.email ?? typed.username ?? typed.phone ?? ''
  const hash = createHmac('sha256', key.reveal())
    .update(`audit\0${name.normalize('NFKC').toLowerCase()}`)
    .digest('hex')
  await request.afterCommit(() =>
    audit.record({
      actor: '-',
      actorKind: 'visitor',
      accountId: null,
      action: 'login_failed',
      target: `name ${hash.slice(0, 16)}`,
      ...toClientFields(request),
      outcome: 'refused',
      code: null,
    }),
  )
}
