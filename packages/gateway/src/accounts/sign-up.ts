import { addAccount, OWNER_ACCOUNT, takeOwnerAccount } from './account-store.sql.ts'
import type { Audit } from './audit/audit.ts'
import type { GatewayDb } from './schema.ts'
import { type InvitationRow, setInvitationUser, useInvitation } from './invitations/invitation-store.sql.ts'
import { forgetInvitation, getInvitationHash, type Invitations } from './invitations/invitations.ts'
import { type AccountAdapter, type Visit, type FormValues, InvalidInput, type NewUser, type User } from '@gatepost/auth'

/** Rules for signing up. */
export interface SignUpRules {
  readonly invitations: Invitations
  readonly audit: Audit
  /** Whether anyone may sign up once the first account exists. */
  readonly isOpen: boolean
  /** Whether any user exists. */
  hasAccounts(): Promise<boolean>
}

/** The gateway's tables are in the same database, and so in the same transaction. */
const toGatewayDb = (request: Visit): GatewayDb => request.db as unknown as GatewayDb // made by `gatewayMigrations`

/** Whether the visitor may sign up: with an invitation, or if sign-up is open and an account exists. */
export async function mayCreateAccount(rules: SignUpRules, request: Visit): Promise<boolean> {
  const hash = getInvitationHash(request)
  if (hash !== null && (await rules.invitations.openByHash(hash)) !== null) return true
  return rules.isOpen && (await rules.hasAccounts())
}

/**
 * Stores the user and the account in the transaction that uses the invitation, so a link creates only one account.
 * @throws {InvalidInput} if the invitation has been used
 */
export async function saveInvited(
  rules: SignUpRules,
  defaults: Pick<AccountAdapter, 'saveUser'>,
  request: Visit,
  { user, values }: { readonly user: NewUser; readonly values: FormValues },
): Promise<User> {
  const db = toGatewayDb(request)
  const hash = getInvitationHash(request)
  const invitation = hash === null ? null : await useInvitation(db, hash, request.nowMs)
  if (invitation === null && !rules.isOpen) throw createUsedUpError()
  const isStaff = invitation?.is_staff === 1
  const saved = await defaults.saveUser(request, isStaff ? { ...user, isStaff } : user, values)
  const userId = String(saved.id)
  const isFirst = invitation?.is_first === 1
  const accountId = isFirst ? OWNER_ACCOUNT : `u${userId}`
  if (!(await (isFirst ? takeOwnerAccount(db, userId) : addAccount(db, accountId, userId)))) throw createUsedUpError()
  if (invitation !== null) await recordUse(rules, request, { invitation, accountId, userId })
  return saved
}

async function recordUse(
  { audit }: SignUpRules,
  request: Visit,
  used: { readonly invitation: InvitationRow; readonly accountId: string; readonly userId: string },
): Promise<void> {
  const { invitation, accountId, userId } = used
  await setInvitationUser(toGatewayDb(request), invitation.id, accountId)
  await request.afterCommit(async () => {
    forgetInvitation(request)
    await audit.record({
      actor: userId,
      actorKind: 'session',
      accountId,
      action: 'invitation_used',
      target: invitation.id,
      ip: request.clientIp,
      userAgent: request.userAgent,
      outcome: 'ok',
      code: null,
    })
  })
}

const createUsedUpError = (): InvalidInput =>
  new InvalidInput([{ code: 'invitation_used', message: 'This invitation is no longer valid.' }])
