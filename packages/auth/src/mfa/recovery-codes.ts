import { deriveCodes, createRecoveryCodes, notifyCodesGenerated } from './changes.ts'
import { AuthError, InvalidInput } from '../errors.ts'
import { sameCode } from '../kernel/crypto/random.ts'
import type { User } from '../kernel/users/user.ts'
import type { Visit } from '../kernel/visit.ts'
import type { Authenticator, AuthenticatorData, RecoveryCodeFlow, RecoveryCodes } from './mfa.ts'
import { isUnreadable } from './sealed-secret.ts'
import type { Mfa } from './second-factors.ts'
import { isPrimaryFactor } from './uses.ts'

/** Creates the flow of recovery codes. */
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

/** Returns no codes if they can't be opened, so that their owner can still generate new ones. */
function readCodesOrNone(mfa: Mfa, { id, data }: Authenticator): ReturnType<typeof listRecoveryCodes> {
  try {
    return listRecoveryCodes(mfa, data)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    mfa.kernel.log.error('Recovery codes cannot be opened with these keys', { authenticator: id })
    return []
  }
}

/** Returns the codes and marks them as viewed, under a lock: of two concurrent requests, only one is the first. */
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

/** One recovery code of a set. */
interface RecoveryCode {
  readonly code: string
  readonly isUsed: boolean
  /** The data of the set once this code is used up. */
  used(): AuthenticatorData
}

/** Returns all codes of a set; of a migrated set, only the unused ones. @throws {AuthError} `secret_unreadable` */
const listRecoveryCodes = (mfa: Mfa, data: AuthenticatorData): readonly RecoveryCode[] =>
  Array.isArray(data['migrated_codes'])
    ? openMigratedCodes(mfa, data, data['migrated_codes'])
    : deriveCodeSet(mfa, data)

/**
 * Returns the data with this code used up and the secrets sealed with the current key, including unsealed ones of a
 * migrated site; `null` if the code is wrong or used. The caller holds the user's lock.
 */
export function useRecoveryCode(mfa: Mfa, data: AuthenticatorData, code: string): AuthenticatorData | null {
  // Compares all codes, so that timing doesn't reveal which one matched.
  const found = listRecoveryCodes(mfa, data).filter((known) => sameCode(code, known.code) && !known.isUsed)
  return found[0]?.used() ?? null
}

function openMigratedCodes(mfa: Mfa, data: AuthenticatorData, stored: readonly unknown[]): readonly RecoveryCode[] {
  const codes = stored.map((code) => mfa.adapter.decrypt(requireCodeText(code)))
  return codes.map((code, index) => ({
    code,
    isUsed: false,
    used: () => ({ ...data, migrated_codes: codes.toSpliced(index, 1).map((left) => mfa.adapter.encrypt(left)) }),
  }))
}

function deriveCodeSet(mfa: Mfa, data: AuthenticatorData): readonly RecoveryCode[] {
  const { recoveryCodeCount: count, recoveryCodeDigits: digits } = mfa.kernel.settings.mfa
  const mask = parseUsedMask(data)
  const seed = mfa.adapter.decrypt(requireCodeText(data['seed']))
  return deriveCodes(seed, { count, digits }).map((code, index) => {
    const bit = 1n << BigInt(index)
    return {
      code,
      isUsed: (mask & bit) !== 0n,
      used: () => ({ ...data, seed: mfa.adapter.encrypt(seed), used_mask: Number(mask | bit) }),
    }
  })
}

function requireCodeText(value: unknown): string {
  if (typeof value !== 'string') throw new AuthError('secret_unreadable')
  return value
}

/** Parses the mask; bit n is set if the code of index n is used. A mask that JSON couldn't represent marks all as used. */
function parseUsedMask({ used_mask: mask = 0 }: AuthenticatorData): bigint {
  return typeof mask === 'number' && Number.isSafeInteger(mask) && mask >= 0 ? BigInt(mask) : ~0n
}
