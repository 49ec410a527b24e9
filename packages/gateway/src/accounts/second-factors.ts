import type { Authenticator } from '@gatepost/auth/extend'
import type { Visit, HostedAuth, User } from '@gatepost/auth'

/** What the gateway asks about second factors. */
export interface SecondFactors {
  /** Types that a user has, e.g. `totp`, in a fixed order; none while second factors are off. */
  listTypes(user: Pick<User, 'id'>): Promise<readonly FactorType[]>
  /** Whether this is one of staff who has no rights of staff for want of a second factor. */
  isMissing(user: Pick<User, 'id' | 'isStaff'>): Promise<boolean>
}

export type FactorType = 'recovery_codes' | 'totp' | 'webauthn'
/** Factors by themselves: recovery codes only stand in for one of them. */
const MAIN = ['totp', 'webauthn'] as const

/** @param isRequired Whether staff must have one. */
export function createSecondFactors(auth: HostedAuth, isRequired: boolean): SecondFactors {
  const { authenticators } = auth.module('mfa')
  const { db } = auth.kernel.database
  return {
    async listTypes({ id }) {
      if (!auth.kernel.settings.mfa.enabled) return []
      const own = await authenticators.ofUser(db, id)
      return (['recovery_codes', ...MAIN] as const).filter((type) => own.some((one) => one.type === type))
    },
    isMissing: async ({ id, isStaff }) =>
      isRequired && isStaff && (await authenticators.ofUser(db, id, MAIN)).length === 0,
  }
}

/** Where a request notes what it was allowed to remove: of several that are removed at once none may be the last one. */
const REMOVED = 'gateway_removed_factors'

/** Whether staff keep a second factor without this one. */
export async function keepsAnotherFactor(
  auth: HostedAuth,
  request: Visit,
  { id, userId, type }: Authenticator,
): Promise<boolean> {
  if (type === 'recovery_codes') return true
  const user = await auth.kernel.users.byId(request.db, userId)
  if (user?.isStaff !== true) return true
  const noted = request.notes.get(REMOVED)
  const removed = new Set<unknown>(noted instanceof Set ? noted : []).add(id)
  request.notes.set(REMOVED, removed)
  const own = await auth.module('mfa').authenticators.ofUser(request.db, userId, MAIN)
  return own.some((one) => !removed.has(one.id))
}

/**
 * Signs somebody out everywhere but here: sessions that were begun by a password alone must not gain what their first
 * second factor gives. Those of who is no staff too, as they may be made staff later.
 */
export async function endOtherSessions(auth: HostedAuth, request: Visit | null, user: User): Promise<void> {
  const { db } = auth.kernel.database
  const sessions = await auth.kernel.sessions.ofUser(db, user.id, auth.kernel.clock.now())
  const others = sessions.map(({ id }) => id).filter((id) => id !== request?.session.id)
  await auth.kernel.sessions.end(db, user.id, others)
}

/** Leads staff who lack a second factor to where they set one up, with the reason. @returns `null`: they may go on */
export async function redirectToFactorSetup(
  auth: HostedAuth,
  factors: Pick<SecondFactors, 'isMissing'>,
  request: Visit,
  user: User,
): Promise<string | null> {
  if (!auth.kernel.has('mfa_index') || !(await factors.isMissing(user))) return null
  request.addMessage('warning', request.t(REASON))
  return auth.kernel.url('mfa_index')
}

const REASON = "Admins must use two-factor authentication. You won't have admin permissions until you set it up."
