import type { Login, LoginStage } from '../../account/login.ts'
import type { Core } from '../../core.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { MAIN_TYPES } from '../types-of-user.ts'

/** Key of the stage, and reverse name of its page. */
export const MFA_STAGE = 'mfa_authenticate'

/** Holds a login back until the second factor is given. Recovery codes alone are none. */
export const mfaStage = (core: () => Core): LoginStage => ({
  key: MFA_STAGE,
  page: MFA_STAGE,
  resumable: () => true,
  enter: async (request, login) => ((await isNeeded(core(), request, login)) ? { kind: 'wait' } : { kind: 'pass' }),
})

async function isNeeded(core: Core, request: Visit, login: Login): Promise<boolean> {
  const { user } = login
  const { mfa } = core.settings
  if (user === null || !mfa.enabled || !(await core.mfa.adapter.isMfaEnabled(request, user, MAIN_TYPES))) return false
  if (await isByPasskey(core, request, login, user)) return false
  return !(mfa.trustEnabled && (await core.mfa.trust.isTrusted(request, user)))
}

/** Whether this very login began with a passkey of this very user: the records of the session may be about others. */
async function isByPasskey(core: Core, request: Visit, login: Login, user: User): Promise<boolean> {
  const ids = core.login
    .records(request)
    .filter(
      ({ method, passwordless, at }) => method === 'mfa' && passwordless === true && at >= login.initiatedAtMs / 1000,
    )
    .map(({ id }) => id)
  if (ids.length === 0) return false
  const keys = await core.mfa.authenticators.ofUser(request.db, user.id, ['webauthn'])
  return keys.some(({ id }) => ids.includes(id))
}
