import type { HostedAuth } from '@gatepost/auth'
import type { Clock, Log } from '@gatepost/channels'
import type { Database } from '@gatepost/sql'
import { accountById } from './account-store.sql.ts'
import type { Client } from './audit/audit.ts'
import type { Caller } from './caller.ts'
import { gatewayMail } from './gateway-mail.ts'
import type { People } from './people.ts'
import type { GatewayTables } from './schema.ts'

/** A successful API call that created or widened access, or changed another account. */
export interface AccessChange {
  /** Id of the route. */
  readonly action: string
  readonly caller: Caller
  /** Account that the call was about. */
  readonly accountId: string
  /** Parsed body of the request. */
  readonly body: unknown
  readonly client: Client
}

/** Emails about access, so that a stolen session doesn't go unnoticed. */
export interface AccessMail {
  /**
   * Emails the user whose account a change concerns. Never rejects: the change has been made, so a failure is logged.
   * @param origin Public origin of the service.
   */
  notify(change: AccessChange, origin: string): Promise<void>
}

/** Changes that concern the caller's own account. Others concern the account that the call was about. */
const OWN_CHANGES: Readonly<Record<string, string>> = {
  createInvitation: 'invitation_created',
  createClient: 'client_changed',
  changeClient: 'client_changed',
  renewClientSecret: 'client_changed',
  createSocialApp: 'provider_changed',
  changeSocialApp: 'provider_changed',
}
/** How often to email that the same person changes an account, in milliseconds. */
const AGAIN_MS = 86_400_000
const REMEMBERED_MAX = 10_000

/** Creates the emails about access. */
export function createAccessMail(parts: {
  readonly auth: HostedAuth
  readonly database: Database<GatewayTables>
  readonly people: Pick<People, 'user'>
  readonly clock: Clock
  readonly log: Log
}): AccessMail {
  const { auth, database, people, clock, log } = parts
  /** When an account was last told about changes, by account and actor. */
  const told = new Map<string, number>()
  const isTold = (key: string): boolean => {
    const nowMs = clock.now()
    if ((told.get(key) ?? -Infinity) > nowMs - AGAIN_MS) return true
    if (told.size >= REMEMBERED_MAX) told.clear()
    told.set(key, nowMs)
    return false
  }
  const send = async (change: string, userId: string, { client }: AccessChange, origin: string): Promise<void> => {
    const user = await people.user(userId)
    if (user === null || user.email === '') return
    const values = {
      change,
      timestamp: `${new Date(clock.now()).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
      ip: client.ip ?? '-',
      user_agent: (client.userAgent ?? '-').replaceAll(/[\s\p{Cc}]+/gu, ' '),
    }
    const mail = { name: 'access_changed', to: user.email, link: `${origin}/`, values }
    await auth.kernel.mail.enqueue(auth.kernel.database.db, await gatewayMail(auth, mail))
    auth.kernel.mail.wake()
  }
  return {
    async notify(change, origin) {
      const { action, caller, accountId } = change
      const own = OWN_CHANGES[action]
      try {
        if (own !== undefined) {
          if (caller.userId !== null) await send(own, caller.userId, change, origin)
          return
        }
        const what = concerningAccount(change)
        const userId = (await accountById(database.db, accountId))?.user_id ?? null
        if (what === null || userId === null) return
        if (what === 'account_changed' && isTold(`${accountId} ${caller.actor}`)) return
        await send(what, userId, change, origin)
      } catch (error) {
        log.error("Couldn't queue an email about access", { action, error })
      }
    },
  }
}

/** Returns what changed for the account that a call was about; `null` if another email says it. */
function concerningAccount({ action, body }: AccessChange): string | null {
  if (action === 'createToken') return 'token_created'
  if (action === 'resetAuthenticators') return null
  if (action !== 'changeAccount') return 'account_changed'
  const staff: unknown = typeof body === 'object' && body !== null && 'staff' in body ? body.staff : undefined
  if (staff === undefined) return null
  return staff === true ? 'staff_granted' : 'staff_revoked'
}
