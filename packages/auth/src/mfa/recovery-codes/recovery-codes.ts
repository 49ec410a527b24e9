import type { Core } from '../../core.ts'
import { InvalidInput } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import { newRecoveryCodes, sayCodesGenerated } from '../changes.ts'
import type { Authenticator, AuthenticatorData, RecoveryCodeFlow, RecoveryCodes } from '../mfa.ts'
import { isUnreadable } from '../sealed-secret.ts'
import { isMain } from '../types-of-user.ts'
import { codesOf } from './code-set.ts'

/** Codes for who has lost the other factors. @param core Asked at each call: the flow is part of it. */
export function recoveryCodeFlow(core: () => Core): RecoveryCodeFlow {
  return {
    async find(request, user) {
      const authenticator = await stored(core(), request, user)
      return authenticator === null ? null : shown(core(), authenticator)
    },
    view: (request, user) => view(core(), request, user),
    generate: (request, user) => generate(core(), request, user),
  }
}

async function stored(core: Core, request: Visit, user: User): Promise<Authenticator | null> {
  const [authenticator] = await core.mfa.authenticators.ofUser(request.db, user.id, ['recovery_codes'])
  return authenticator ?? null
}

const wasViewed = ({ viewed_at: at }: AuthenticatorData): boolean => typeof at === 'number' && at > 0

function shown(core: Core, authenticator: Authenticator): RecoveryCodes {
  const codes = readable(core, authenticator)
  return {
    authenticator,
    unused: codes.filter(({ isUsed }) => !isUsed).map(({ code }) => code),
    total: codes.length,
    canView: !core.settings.mfa.recoveryCodesShowOnce || !wasViewed(authenticator.data),
  }
}

/** Codes that cannot be opened are none that are left: their owner can still make others. */
function readable(core: Core, { id, data }: Authenticator): ReturnType<typeof codesOf> {
  try {
    return codesOf(core, data)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    core.log.error('Recovery codes cannot be opened with these keys', { authenticator: id })
    return []
  }
}

/** Of two who look at the same time one is the first. */
async function view(core: Core, request: Visit, user: User): Promise<RecoveryCodes | null> {
  return request.transaction(async () => {
    await core.mfa.authenticators.claim(request.db, user.id)
    const authenticator = await stored(core, request, user)
    if (authenticator === null) return null
    const codes = shown(core, authenticator)
    if (wasViewed(authenticator.data)) return codes
    const data = { ...authenticator.data, viewed_at: request.nowMs / 1000 }
    await core.mfa.authenticators.update(request.db, authenticator.id, { data })
    return codes
  })
}

async function generate(core: Core, request: Visit, user: User): Promise<RecoveryCodes> {
  const store = core.mfa.authenticators
  return request.transaction(async () => {
    await store.claim(request.db, user.id)
    const rows = await store.ofUser(request.db, user.id)
    if (!rows.some(isMain)) throw new InvalidInput([core.adapter.validationError('cannot_generate_recovery_codes')])
    for (const { id } of rows.filter((row) => !isMain(row))) await store.remove(request.db, id)
    const authenticator = await store.insert(request.db, {
      userId: user.id,
      type: 'recovery_codes',
      data: newRecoveryCodes(core),
      createdAtMs: request.nowMs,
    })
    const event = { request, user, authenticator }
    await request.afterCommit(() => core.signals.emit('authenticator_reset', 'Authenticator', event))
    await request.afterCommit(() => sayCodesGenerated(core, request))
    await core.mfa.adapter.sendNotificationMail(request, 'mfa/email/recovery_codes_generated', user)
    return shown(core, authenticator)
  })
}
