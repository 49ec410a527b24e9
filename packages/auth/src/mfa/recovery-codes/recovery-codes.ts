import type { Mfa } from '../second-factors.ts'
import { InvalidInput } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { createRecoveryCodes, notifyCodesGenerated } from '../changes.ts'
import type { Authenticator, AuthenticatorData, RecoveryCodeFlow, RecoveryCodes } from '../mfa.ts'
import { isUnreadable } from '../sealed-secret.ts'
import { isPrimaryFactor } from '../types-of-user.ts'
import { listRecoveryCodes } from './code-set.ts'

/** Creates the flow of the recovery codes. @param core Called each time: the flow is part of it */
export function recoveryCodeFlow(mfa: Mfa): RecoveryCodeFlow {
  return {
    async find(request, user) {
      const authenticator = await findRecoveryCodes(mfa, request, user)
      return authenticator === null ? null : toRecoveryCodes(mfa, authenticator)
    },
    view: (request, user) => view(mfa, request, user),
    generate: (request, user) => generate(mfa, request, user),
  }
}

async function findRecoveryCodes(mfa: Mfa, request: Visit, user: User): Promise<Authenticator | null> {
  const [authenticator] = await mfa.authenticators.ofUser(request.db, user.id, ['recovery_codes'])
  return authenticator ?? null
}

const hasViewedCodes = ({ viewed_at: at }: AuthenticatorData): boolean => typeof at === 'number' && at > 0

function toRecoveryCodes(mfa: Mfa, authenticator: Authenticator): RecoveryCodes {
  const codes = readCodesOrNone(mfa, authenticator)
  return {
    authenticator,
    unused: codes.filter(({ isUsed }) => !isUsed).map(({ code }) => code),
    total: codes.length,
    canView: !mfa.kernel.settings.mfa.recoveryCodesShowOnce || !hasViewedCodes(authenticator.data),
  }
}

/** Codes that cannot be opened are none that are left: their owner can still make others. */
function readCodesOrNone(mfa: Mfa, { id, data }: Authenticator): ReturnType<typeof listRecoveryCodes> {
  try {
    return listRecoveryCodes(mfa, data)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    mfa.kernel.log.error('Recovery codes cannot be opened with these keys', { authenticator: id })
    return []
  }
}

/** Of two who look at the same time one is the first. */
async function view(mfa: Mfa, request: Visit, user: User): Promise<RecoveryCodes | null> {
  return request.transaction(async () => {
    await mfa.authenticators.lock(request.db, user.id)
    const authenticator = await findRecoveryCodes(mfa, request, user)
    if (authenticator === null) return null
    const codes = toRecoveryCodes(mfa, authenticator)
    if (hasViewedCodes(authenticator.data)) return codes
    const data = { ...authenticator.data, viewed_at: request.nowMs / 1000 }
    await mfa.authenticators.update(request.db, authenticator.id, { data })
    return codes
  })
}

async function generate(mfa: Mfa, request: Visit, user: User): Promise<RecoveryCodes> {
  const store = mfa.authenticators
  return request.transaction(async () => {
    await store.lock(request.db, user.id)
    const rows = await store.ofUser(request.db, user.id)
    if (!rows.some(isPrimaryFactor))
      throw new InvalidInput([mfa.account.adapter.validationError('cannot_generate_recovery_codes')])
    for (const { id } of rows.filter((row) => !isPrimaryFactor(row))) await store.remove(request.db, id)
    const authenticator = await store.insert(request.db, {
      userId: user.id,
      type: 'recovery_codes',
      data: createRecoveryCodes(mfa),
      createdAtMs: request.nowMs,
    })
    const event = { request, user, authenticator }
    await request.afterCommit(() => mfa.signals.emit('authenticator_reset', 'Authenticator', event))
    await request.afterCommit(() => notifyCodesGenerated(mfa.account, request))
    await mfa.adapter.sendNotificationMail(request, 'mfa/email/recovery_codes_generated', user)
    return toRecoveryCodes(mfa, authenticator)
  })
}
