import type { Authenticator } from '@gatepost/auth/mfa'
import type { Visit, HostedAuth, User } from '@gatepost/auth'

/** Second factors, as the gateway needs them. */
export interface SecondFactors {
  /** Lists a user's types, e.g. `totp`, in a fixed order; empty if two-factor authentication is disabled. */
  listTypes(user: Pick<User, 'id'>): Promise<readonly FactorType[]>
  /** Whether a staff user lacks a required second factor. */
  isMissing(user: Pick<User, 'id' | 'isStaff'>): Promise<boolean>
}

/** Type of a second factor. */
export type FactorType = 'recovery_codes' | 'totp' | 'webauthn'
/** Main factors, without recovery codes. */
const MAIN = ['totp', 'webauthn'] as const

/** Creates the view of second factors. @param isRequired Whether staff need one. */
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

/** Note key for the factors that a request removes, so that removing several at once can't remove the last one. */
const REMOVED = 'gateway_removed_factors'

/** Whether a staff user keeps a second factor if this one is removed. */
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
 * Ends a user's other sessions: sessions started with only a password must not gain the permissions that the first second
 * factor unlocks. Applies to all users, because anyone may become staff later.
 */
export async function endOtherSessions(auth: HostedAuth, request: Visit | null, user: User): Promise<void> {
  const { db } = auth.kernel.database
  const sessions = await auth.kernel.sessions.ofUser(db, user.id, auth.kernel.clock.now())
  const others = sessions.map(({ id }) => id).filter((id) => id !== request?.session.id)
  await auth.kernel.sessions.end(db, user.id, others)
}

/** Returns the path for setting up a required second factor and adds a message; `null` if none is missing. */
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
