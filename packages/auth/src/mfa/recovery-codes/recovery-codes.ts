import type { Mfa } from '../second-factors.ts'
import { InvalidInput } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { newRecoveryCodes, sayCodesGenerated } from '../changes.ts'
import type { Authenticator, AuthenticatorData, RecoveryCodeFlow, RecoveryCodes } from '../mfa.ts'
import { isUnreadable } from '../sealed-secret.ts'
import { isMain } from '../types-of-user.ts'
import { codesOf } from './code-set.ts'

/** Codes for who has lost the other factors. @param core Asked at each call: the flow is part of it. */
export function recoveryCodeFlow(mfa: Mfa): RecoveryCodeFlow {
  return {
    async find(request, user) {
      const authenticator = await stored(mfa, request, user)
      return authenticator === null ? null : shown(mfa, authenticator)
    },
    view: (request, user) => view(mfa, request, user),
    generate: (request, user) => generate(mfa, request, user),
  }
}

async function stored(mfa: Mfa, request: Visit, user: User): Promise<Authenticator | null> {
  const [authenticator] = await mfa.authenticators.ofUser(request.db, user.id, ['recovery_codes'])
  return authenticator ?? null
}

const wasViewed = ({ viewed_at: at }: AuthenticatorData): boolean => typeof at === 'number' && at > 0

function shown(mfa: Mfa, authenticator: Authenticator): RecoveryCodes {
  const codes = readable(mfa, authenticator)
  return {
    authenticator,
    unused: codes.filter(({ isUsed }) => !isUsed).map(({ code }) => code),
    total: codes.length,
    canView: !mfa.kernel.settings.mfa.recoveryCodesShowOnce || !wasViewed(authenticator.data),
  }
}

/** Codes that cannot be opened are none that are left: their owner can still make others. */
function readable(mfa: Mfa, { id, data }: Authenticator): ReturnType<typeof codesOf> {
  try {
    return codesOf(mfa, data)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    mfa.kernel.log.error('Recovery codes cannot be opened with these keys', { authenticator: id })
    return []
  }
}

/** Of two who look at the same time one is the first. */
async function view(mfa: Mfa, request: Visit, user: User): Promise<RecoveryCodes | null> {
  return request.transaction(async () => {
    await mfa.authenticators.claim(request.db, user.id)
    const authenticator = await stored(mfa, request, user)
    if (authenticator === null) return null
    const codes = shown(mfa, authenticator)
    if (wasViewed(authenticator.data)) return codes
    const data = { ...authenticator.data, viewed_at: request.nowMs / 1000 }
    await mfa.authenticators.update(request.db, authenticator.id, { data })
    return codes
  })
}

async function generate(mfa: Mfa, request: Visit, user: User): Promise<RecoveryCodes> {
  const store = mfa.authenticators
  return request.transaction(async () => {
    await store.claim(request.db, user.id)
    const rows = await store.ofUser(request.db, user.id)
    if (!rows.some(isMain))
      throw new InvalidInput([mfa.account.adapter.validationError('cannot_generate_recovery_codes')])
    for (const { id } of rows.filter((row) => !isMain(row))) await store.remove(request.db, id)
    const authenticator = await store.insert(request.db, {
      userId: user.id,
      type: 'recovery_codes',
      data: newRecoveryCodes(mfa),
      createdAtMs: request.nowMs,
    })
    const event = { request, user, authenticator }
    await request.afterCommit(() => mfa.signals.emit('authenticator_reset', 'Authenticator', event))
    await request.afterCommit(() => sayCodesGenerated(mfa.account, request))
    await mfa.adapter.sendNotificationMail(request, 'mfa/email/recovery_codes_generated', user)
    return shown(mfa, authenticator)
  })
}
