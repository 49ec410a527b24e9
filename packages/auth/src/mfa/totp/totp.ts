import { AuthError, InvalidInput } from '../../errors.ts'
import { nullOnUniqueViolation } from '../../kernel/schema/in-transaction.sql.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import { addAuthenticator, notifyAdded, notifyRemoved, removeAuthenticators } from '../changes.ts'
import { requireVerifiedEmail } from '../may-enable.ts'
import type { Authenticator, AuthenticatorAdded, TotpFlow, TotpOffer } from '../mfa.ts'
import type { Mfa } from '../second-factors.ts'
import { matchTimeSteps, totpData } from './used-code.ts'

/** Entry of the session: the secret that was offered last. */
const KEY = 'mfa.totp.secret'
/** As long as the digest of HMAC-SHA1 (RFC 4226 section 4, R6). */
const SECRET_BYTES = 20

/** One-time codes of an authenticator app. @param core Asked at each call: the flow is part of it. */
export function totpFlow(mfa: Mfa): TotpFlow {
  const createTotpOffer = (request: Visit, user: User, secret: string): TotpOffer => ({
    secret,
    url: mfa.adapter.buildTotpUrl(request, user, secret),
  })
  return {
    async offer(request, user) {
      await requireVerifiedEmail(mfa.account, request, user)
      const secret = encodeBase32(mfa.kernel.random(SECRET_BYTES))
      request.session.set(KEY, secret)
      return createTotpOffer(request, user, secret)
    },
    offered(request, user) {
      const secret = readOfferedSecret(request)
      return Promise.resolve(secret === null ? null : createTotpOffer(request, user, secret))
    },
    activate: (request, user, code, guard) => activate(mfa, request, user, code, guard),
    deactivate: (request, user, authenticator) => deactivate(mfa, request, user, authenticator),
  }
}

function readOfferedSecret(request: Visit): string | null {
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
  await requireVerifiedEmail(mfa.account, request, user, 'code')
  const secret = readOfferedSecret(request)
  const steps = secret === null ? null : await matchTimeSteps(mfa.kernel, secret, code, request.nowMs)
  if (secret === null || steps === null) {
    throw new InvalidInput([mfa.account.adapter.validationError('incorrect_code', { param: 'code' })])
  }
  await guard?.()
  return request.transaction(async () => {
    request.session.delete(KEY)
    const data = totpData(mfa, secret, steps)
    const added = await nullOnUniqueViolation(request.db, () =>
      addAuthenticator(mfa, request, user, { type: 'totp', data }),
    )
    if (added === null) throw new AuthError('flow_wrong_stage')
    await notifyAdded(mfa, request, user, added, 'totp_activated')
    return added
  })
}

async function deactivate(mfa: Mfa, request: Visit, user: User, authenticator: Authenticator): Promise<void> {
  await request.transaction(async () => {
    const removed = await removeAuthenticators(mfa, request, user, [authenticator])
    if (removed.length > 0) await notifyRemoved(mfa, request, user, 'totp_deactivated')
  })
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Whole groups of 5 bytes as 8 characters each, without padding. @see RFC 4648 section 6 */
export function encodeBase32(bytes: Uint8Array): string {
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
