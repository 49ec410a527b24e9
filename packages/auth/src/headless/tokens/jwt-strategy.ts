import type { Headless } from '../headless.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { uuidV4 } from '../../kernel/crypto/uuid.ts'
import type { WithHeaders } from '../../kernel/http/with-headers.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { SessionReference } from '../../kernel/sessions/session.ts'
import type { UserId } from '../../kernel/users/user.ts'
import { credentialOf } from './authorization.ts'
import { createJwt, type OwnClaims } from './jwt.ts'
import { refresh } from './refresh.ts'
import { storeLiveTokens } from './refresh-tokens.ts'
import { openSealedSession } from './sealed-session.ts'
import { sessionTokenReference } from './session-strategy.ts'
import type { AccessTokens, TokenStrategy } from './strategy.ts'
import { accessToken, refreshToken, signedInOf, subjectOf, type TokenMaker } from './token-pair.ts'

/** Stands in `iss` where neither the settings nor the host say who we are. */
const NAMELESS = 'gatepost'

/**
 * Apps have the token of their session while they sign in, and then tokens that any service can check without us.
 * @param origin Where visitors reach the server: issuer and audience unless the settings name others.
 */
export function jwtStrategy(headless: Headless, origin: string | undefined): TokenStrategy {
  const { jwtAlgorithm: algorithm, jwtPrivateKey: key, jwtIssuer, jwtAudience } = headless.kernel.settings.headless
  const issuer = jwtIssuer ?? origin ?? NAMELESS
  const jwt = createJwt({ algorithm, key, issuer, audience: jwtAudience ?? issuer }, headless.kernel.signer)
  const maker: TokenMaker = { headless, jwt }
  return {
    findSession: (request) => findSession(maker, request),
    createSessionToken: (_request, token) => token,
    createAccessTokens: (request) => createAccessTokens(maker, request),
    refresh: (request, given) => refresh(maker, request, given),
    async checkAccessToken(token) {
      const claims = await validAccess(maker, token)
      return claims === null ? null : { userId: userIdOf(headless.kernel, claims), claims }
    },
  }
}

async function findSession(maker: TokenMaker, request: WithHeaders): Promise<SessionReference | null> {
  const named = sessionTokenReference(request)
  if (named !== null) return named
  const { headless } = maker
  const token = credentialOf(request, headless.kernel.settings.headless.jwtAuthorizationHeaderScheme)
  const claims = token === null ? null : await validAccess(maker, token)
  return claims === null ? null : openSealedSession(headless.kernel.sealer, claims.sid)
}

function createAccessTokens(maker: TokenMaker, { user, session, nowMs }: Visit): (() => Promise<AccessTokens>) | null {
  if (user === null || session.user === null) return null
  const { headless } = maker
  const nowSeconds = Math.floor(nowMs / 1000)
  const first = [
    uuidV4(headless.kernel.random),
    nowSeconds + headless.kernel.settings.headless.jwtRefreshTokenExpiresIn,
  ] as const
  // Those of an earlier sign-in are over.
  storeLiveTokens(session, new Map([first]), nowSeconds)
  return async () => {
    const signedIn = signedInOf(session, nowSeconds)
    if (signedIn === null) return {} // it was ended meanwhile
    return {
      access_token: await accessToken(maker, { ...signedIn, user }),
      refresh_token: await refreshToken(maker, signedIn, first),
    }
  }
}

/** With `jwtStatefulValidationEnabled` the session must be there, and still be the user's: one indexed read. */
async function validAccess(
  { headless, jwt }: TokenMaker,
  token: string,
): Promise<(OwnClaims & Readonly<Record<string, unknown>>) | null> {
  const nowMs = headless.kernel.clock.now()
  const claims = await jwt.verify(token, 'access', nowMs)
  if (claims === null || !headless.kernel.settings.headless.jwtStatefulValidationEnabled) return claims
  const session = openSealedSession(headless.kernel.sealer, claims.sid)
  const there = session === null ? null : await headless.kernel.sessions.checkId(session.id, nowMs)
  const isSame = there?.authenticatedAtMs === session?.authenticatedAtMs
  return there !== null && isSame && subjectOf(there.user) === claims.sub ? claims : null
}

function userIdOf({ settings }: Pick<Kernel, 'settings'>, { sub }: OwnClaims): UserId {
  const { idType } = settings.userTable
  return idType === 'integer' || idType === 'bigint' ? Number(sub) : sub
}
