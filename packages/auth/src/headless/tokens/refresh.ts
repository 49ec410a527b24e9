import { AuthError } from '../../errors.ts'
import { isConflict } from '../../kernel/http/session-attempts.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { OpenSession } from '../../kernel/sessions/session.ts'
import { liveSuccessor, liveTokens, noteUsed, storeLiveTokens, successorOf, wasUsedSince } from './refresh-tokens.ts'
import { openSealedSession } from './sealed-session.ts'
import type { AccessTokens } from './strategy.ts'
import { accessToken, refreshToken, type SignedIn, signedInOf, subjectOf, type TokenMaker } from './token-pair.ts'

/** Each time another request has changed the session. */
const TRIES = 20

/**
 * A refresh token counts once. One that comes again was copied: its session ends, and whoever has it signs in anew. Of
 * requests that are under way at once with one token, as of an app that sends twice, one uses it up, and the others are
 * given the same successor: a copy among them is found out when the successor comes again.
 * @returns `null`: refused. Only a token of a live session that was used up before the request came ends it.
 * @throws {AuthError} `overloaded`
 * @see RFC 9700 section 4.14.2 (refresh token rotation)
 */
export async function refresh(maker: TokenMaker, request: Visit, given: string): Promise<AccessTokens | null> {
  const { headless } = maker
  const { nowMs, clientIp: ip, userAgent } = request
  const claims = await maker.jwt.verify(given, 'refresh', nowMs)
  const reference = claims === null ? null : openSealedSession(headless.kernel.sealer, claims.sid)
  if (claims === null || reference === null) return null
  const { jti, sub } = claims
  for (let tries = 0; tries < TRIES; tries++) {
    const session = await headless.kernel.sessions.open(reference, { nowMs, ip, userAgent })
    const signedIn = signedInOf(session, Math.floor(nowMs / 1000))
    if (signedIn === null || subjectOf(signedIn.user) !== sub) return null
    const live = liveTokens(session)
    if (!live.has(jti)) {
      const isUnderWayAtOnce = tries > 0 || wasUsedSince(session, jti, nowMs)
      if (!isUnderWayAtOnce) return endCopied(maker, signedIn)
      const next = liveSuccessor(headless.kernel.signer, jti, live)
      return next === null ? null : tokens(maker, signedIn, next)
    }
    if (!headless.kernel.settings.headless.jwtRotateRefreshToken)
      return { access_token: await accessToken(maker, signedIn) }
    const next = rotate(maker, session, signedIn, jti)
    if (await isCommitted(session)) return tokens(maker, signedIn, next)
  }
  throw new AuthError('overloaded')
}

/** Puts the successor in the place of a token: for this request alone until the session is stored. */
function rotate(
  { headless }: TokenMaker,
  session: OpenSession,
  { nowSeconds }: SignedIn,
  jti: string,
): readonly [string, number] {
  const next = [
    successorOf(headless.kernel.signer, jti),
    nowSeconds + headless.kernel.settings.headless.jwtRefreshTokenExpiresIn,
  ] as const
  const others = [...liveTokens(session)].filter(([id]) => id !== jti)
  storeLiveTokens(session, new Map([...others, next]), nowSeconds)
  noteUsed(session, jti, headless.kernel.clock.now())
  return next
}

async function isCommitted(session: OpenSession): Promise<boolean> {
  try {
    await session.commit()
    return true
  } catch (error) {
    if (isConflict(error)) return false
    throw error
  }
}

async function tokens(maker: TokenMaker, signedIn: SignedIn, next: readonly [string, number]): Promise<AccessTokens> {
  return { access_token: await accessToken(maker, signedIn), refresh_token: await refreshToken(maker, signedIn, next) }
}

async function endCopied({ headless }: TokenMaker, { user, session }: SignedIn): Promise<null> {
  await headless.kernel.sessions.end(headless.kernel.database.db, user.id, [session.id])
  headless.kernel.log.warn('A refresh token came again after it was used up: its session is ended', {
    userId: user.id,
    session: session.id,
  })
  return null
}
