import { AuthError, InvalidInput } from '../../errors.ts'
import { unlessTaken } from '../../kernel/schema/in-transaction.sql.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import { addAuthenticator, announceAdded, announceRemoved, removeAuthenticators } from '../changes.ts'
import { refuseUnverified } from '../may-enable.ts'
import type { Authenticator, AuthenticatorAdded, TotpFlow, TotpOffer } from '../mfa.ts'
import type { Mfa } from '../second-factors.ts'
import { stepsTyped, totpData } from './used-code.ts'

/** Entry of the session: the secret that was offered last. */
const KEY = 'mfa.totp.secret'
/** As long as the digest of HMAC-SHA1 (RFC 4226 section 4, R6). */
const SECRET_BYTES = 20

/** One-time codes of an authenticator app. @param core Asked at each call: the flow is part of it. */
export function totpFlow(mfa: Mfa): TotpFlow {
  const offerOf = (request: Visit, user: User, secret: string): TotpOffer => ({
    secret,
    url: mfa.adapter.buildTotpUrl(request, user, secret),
  })
  return {
    async offer(request, user) {
      await refuseUnverified(mfa.account, request, user)
      const secret = base32(mfa.kernel.random(SECRET_BYTES))
      request.session.set(KEY, secret)
      return offerOf(request, user, secret)
    },
    offered(request, user) {
      const secret = offeredSecret(request)
      return Promise.resolve(secret === null ? null : offerOf(request, user, secret))
    },
    activate: (request, user, code, guard) => activate(mfa, request, user, code, guard),
    deactivate: (request, user, authenticator) => deactivate(mfa, request, user, authenticator),
  }
}

function offeredSecret(request: Visit): string | null {
  const secret = request.session.get(KEY)
  return typeof secret === 'string' ? secret : null
}

/** @throws {AuthError} `flow_wrong_stage`: there is one already; `session_conflict` */
async function activate(
  mfa: Mfa,
  request: Visit,
  user: User,
  code: string,
  guard?: () => Promise<void>,
): Promise<AuthenticatorAdded> {
  await refuseUnverified(mfa.account, request, user, 'code')
  const secret = offeredSecret(request)
  const steps = secret === null ? null : await stepsTyped(mfa.kernel, secret, code, request.nowMs)
  if (secret === null || steps === null) {
    throw new InvalidInput([mfa.account.adapter.validationError('incorrect_code', { param: 'code' })])
  }
  await guard?.()
  return request.transaction(async () => {
    request.session.delete(KEY)
    const data = totpData(mfa, secret, steps)
    const added = await unlessTaken(request.db, () => addAuthenticator(mfa, request, user, { type: 'totp', data }))
    if (added === null) throw new AuthError('flow_wrong_stage')
    await announceAdded(mfa, request, user, added, 'totp_activated')
    return added
  })
}

async function deactivate(mfa: Mfa, request: Visit, user: User, authenticator: Authenticator): Promise<void> {
  await request.transaction(async () => {
    const removed = await removeAuthenticators(mfa, request, user, [authenticator])
    if (removed.length > 0) await announceRemoved(mfa, request, user, 'totp_deactivated')
  })
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Whole groups of 5 bytes as 8 characters each, without padding. @see RFC 4648 section 6 */
export function base32(bytes: Uint8Array): string {
  let text = ''
  let waiting = 0
  let bits = 0
  for (const byte of bytes) {
    waiting = ((waiting << 8) | byte) & 0xfff
    bits += 8
    for (; bits >= 5; bits -= 5) text += ALPHABET.charAt((waiting >> (bits - 5)) & 31)
  }
  return text
}
