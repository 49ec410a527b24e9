import type { PageRoute, Visit } from '@gatepost/auth'
import type { HostParts } from '@gatepost/auth/extend'
import { type Clock, createRisingId } from '@gatepost/channels'
import type { Database } from '@gatepost/sql'
import { GatewayError } from '../../server/errors.ts'
import { holdOwnerAccount } from '../account-store.sql.ts'
import {
  addInvitation,
  type InvitationRow,
  openInvitation,
  openInvitations,
  removeFirstInvitations,
  revokeInvitation,
} from './invitation-store.sql.ts'
import { createSecretText, hashSecret } from '../secret-text.ts'
import type { GatewayDb, GatewayTables } from '../schema.ts'

/** A new invitation. Its token isn't stored. */
export interface NewInvitation {
  readonly token: string
  readonly row: InvitationRow
}

/** One-time links for creating an account. */
export interface Invitations {
  /**
   * Creates an invitation. @param createdBy Actor, as in the audit log.
   * @param send Runs in the transaction that stores it. If it throws, nothing is stored.
   */
  create(
    asked: { readonly email: string | null; readonly isStaff: boolean; readonly createdBy: string },
    send?: (made: NewInvitation, db: GatewayDb) => Promise<void>,
  ): Promise<NewInvitation>
  /** Creates the invitation for the first account and invalidates earlier ones. */
  createFirst(): Promise<NewInvitation>
  /** Returns an open invitation by its token. */
  open(token: string): Promise<InvitationRow | null>
  /** Returns an open invitation by its token's hash. */
  openByHash(tokenHash: string): Promise<InvitationRow | null>
  list(): Promise<readonly InvitationRow[]>
  /** @throws {GatewayError} `unknown_invitation` */
  revoke(id: string): Promise<void>
}

const DAY_MS = 86_400_000
const FIRST_LIFE_MS = DAY_MS
const LIFE_MS = 7 * DAY_MS
const FORM = /^[\w-]{43}$/

/** Creates the invitation service. */
export function createInvitations(database: Database<GatewayTables>, clock: Clock): Invitations {
  const make = (asked: Omit<InvitationInput, 'nowMs'>): NewInvitation =>
    createInvitation({ ...asked, nowMs: clock.now() })
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
        await holdOwnerAccount(tx) // serializes nodes that start at the same time
        await removeFirstInvitations(tx)
        await addInvitation(tx, invitation.row)
      })
      return invitation
    },
    open: async (token) => (FORM.test(token) ? openByHash(hashSecret(token)) : null),
    openByHash,
    list: () => openInvitations(database.db, clock.now()),
    async revoke(id) {
      if (!(await revokeInvitation(database.db, id))) throw new GatewayError('unknown_invitation')
    },
  }
}

interface InvitationInput {
  readonly email: string | null
  readonly isStaff: boolean
  readonly isFirst: boolean
  readonly createdBy: string
  readonly nowMs: number
}

function createInvitation({ email, isStaff, isFirst, createdBy, nowMs }: InvitationInput): NewInvitation {
  const token = createSecretText()
  return {
    token,
    row: {
      id: createRisingId(nowMs),
      token_hash: hashSecret(token),
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

/** Route name of the invitation page. */
export const INVITATION_PAGE = 'gateway_invitation'
/** Session key for the hash of the opened link. */
const SESSION_KEY = 'gateway_invitation'

/** Returns the hash of the link that the visitor opened, or `null`. */
export function getInvitationHash(request: Visit): string | null {
  const kept = request.session.get(SESSION_KEY)
  return typeof kept === 'string' ? kept : null
}

/** Removes the invitation from the session. */
export const forgetInvitation = (request: Visit): void => request.session.delete(SESSION_KEY)

/**
 * Page `invitation/{token}/`: moves the token into the session and redirects to the sign-up, so that no later URL or
 * `Referer` contains it. Opening doesn't use the invitation, because mail scanners open links too.
 */
export function invitationPage(auth: HostParts, invitations: Invitations): PageRoute {
  return {
    name: INVITATION_PAGE,
    path: 'invitation/{token}/',
    access: 'anon',
    async GET(request, { token = '' }) {
      const invitation = await invitations.open(token)
      if (invitation === null || request.user !== null) {
        const state = invitation === null ? 'gone' : 'signed_in'
        const status = invitation === null ? 404 : 200
        return { kind: 'page', template: 'gateway/invitation', context: { state }, status }
      }
      request.session.set(SESSION_KEY, hashSecret(token))
      if (invitation.email !== null) auth.account.adapter.stashVerifiedEmail(request, invitation.email)
      return { kind: 'redirect', to: getSignUpUrl(auth, request) }
    },
  }
}

/** Returns the sign-up page; without pages that of the front end, if it has one. */
function getSignUpUrl({ kernel }: HostParts, visit: Visit): string {
  if (kernel.has('account_signup')) return kernel.url('account_signup')
  for (const module of kernel.modules) {
    const url = module.frontendUrl?.(visit, 'account_signup') ?? null
    if (url !== null) return url
  }
  return '/'
}
