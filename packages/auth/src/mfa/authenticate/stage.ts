import type { Mfa } from '../second-factors.ts'
import type { Login, LoginStage } from '../../kernel/login.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { MAIN_TYPES } from '../types-of-user.ts'

/** Key of the stage, and reverse name of its page. */
export const MFA_STAGE = 'mfa_authenticate'

/** Holds a login back until the second factor is given. Recovery codes alone are none. */
export const mfaStage = (mfa: Mfa): LoginStage => ({
  key: MFA_STAGE,
  page: MFA_STAGE,
  resumable: () => true,
  enter: async (request, login) => ((await isNeeded(mfa, request, login)) ? { kind: 'wait' } : { kind: 'pass' }),
})

async function isNeeded(mfa: Mfa, request: Visit, login: Login): Promise<boolean> {
  const { user } = login
  const settings = mfa.kernel.settings.mfa
  if (user === null || !settings.enabled || !(await mfa.adapter.isMfaEnabled(request, user, MAIN_TYPES))) return false
  if (await isByPasskey(mfa, request, login, user)) return false
  return !(settings.trustEnabled && (await mfa.trust.isTrusted(request, user)))
}

/** Whether this very login began with a passkey of this very user: the records of the session may be about others. */
async function isByPasskey(mfa: Mfa, request: Visit, login: Login, user: User): Promise<boolean> {
  const ids = mfa.account.login
    .records(request)
    .filter(
      ({ method, passwordless, at }) => method === 'mfa' && passwordless === true && at >= login.initiatedAtMs / 1000,
    )
    .map(({ id }) => id)
  if (ids.length === 0) return false
  const keys = await mfa.authenticators.ofUser(request.db, user.id, ['webauthn'])
  return keys.some(({ id }) => ids.includes(id))
}
