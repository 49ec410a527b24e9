import { holdOwnerAccount } from './account-store.sql.ts'
import { GatewayError } from '../server/errors.ts'
import type { GatewayDb } from './database.ts'
import {
  addInvitation,
  type InvitationRow,
  openInvitation,
  openInvitations,
  removeFirstInvitations,
  revokeInvitation,
} from './invitation-store.sql.ts'
import { hashOf, newSecretText } from './secret-text.ts'
import type { GatewayTables } from './tables.ts'
import { type Clock, risingId } from '@gatepost/channels'
import type { Database } from '@gatepost/sql'

/** An invitation that was just made; its token is known to who has the link alone. */
export interface MadeInvitation {
  readonly token: string
  readonly row: InvitationRow
}

/** Links that let somebody create an account, once. */
export interface Invitations {
  /**
   * @param createdBy Actor, as in the audit log.
   * @param send Runs in the transaction that stores it: what does not get away is not stored.
   */
  create(
    asked: { readonly email: string | null; readonly isStaff: boolean; readonly createdBy: string },
    send?: (made: MadeInvitation, db: GatewayDb) => Promise<void>,
  ): Promise<MadeInvitation>
  /** The one that creates the first account. Those made before are not valid any more. */
  createFirst(): Promise<MadeInvitation>
  /** By its token, while it can be used. */
  open(token: string): Promise<InvitationRow | null>
  /** By the hash of its token. */
  openByHash(tokenHash: string): Promise<InvitationRow | null>
  list(): Promise<readonly InvitationRow[]>
  /** @throws {GatewayError} `unknown_invitation` */
  revoke(id: string): Promise<void>
}

const DAY_MS = 86_400_000
const FIRST_LIFE_MS = DAY_MS
const LIFE_MS = 7 * DAY_MS
const FORM = /^[\w-]{43}$/

export function createInvitations(database: Database<GatewayTables>, clock: Clock): Invitations {
  const make = (asked: Omit<Made, 'nowMs'>): MadeInvitation => made({ ...asked, nowMs: clock.now() })
  const openByHash = (tokenHash: string): Promise<InvitationRow | null> =>
    openInvitation(database.db, tokenHash, clock.now())
  return {
    async create(asked, send) {
      const invitation = make({ ...asked, isFirst: false })
      await database.transaction(async (tx) => {
        await addInvitation(tx, invitation.row)
        await send?.(invitation, tx)
      })
      return invitation
    },
    async createFirst() {
      const invitation = make({ email: null, isStaff: true, isFirst: true, createdBy: 'system' })
      await database.transaction(async (tx) => {
        await holdOwnerAccount(tx) // of two nodes that start at once, one removes what the other has made
        await removeFirstInvitations(tx)
        await addInvitation(tx, invitation.row)
      })
      return invitation
    },
    open: async (token) => (FORM.test(token) ? openByHash(hashOf(token)) : null),
    openByHash,
    list: () => openInvitations(database.db, clock.now()),
    async revoke(id) {
      if (!(await revokeInvitation(database.db, id))) throw new GatewayError('unknown_invitation')
    },
  }
}

interface Made {
  readonly email: string | null
  readonly isStaff: boolean
  readonly isFirst: boolean
  readonly createdBy: string
  readonly nowMs: number
}

function made({ email, isStaff, isFirst, createdBy, nowMs }: Made): MadeInvitation {
  const token = newSecretText()
  return {
    token,
    row: {
      id: risingId(nowMs),
      token_hash: hashOf(token),
      email,
      is_staff: isStaff ? 1 : 0,
      is_first: isFirst ? 1 : 0,
      created_by: createdBy,
      created_at_ms: nowMs,
      expires_at_ms: nowMs + (isFirst ? FIRST_LIFE_MS : LIFE_MS),
      used_at_ms: null,
      used_by: null,
    },
  }
}
