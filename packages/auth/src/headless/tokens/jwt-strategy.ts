import { AuthError } from '../../errors.ts'
import type { Signer, Sealer } from '../../kernel/crypto/crypto.ts'
import { uuidV4 } from '../../kernel/crypto/random.ts'
import { readCredential, type WithHeaders } from '../../kernel/http/request-headers.ts'
import { isConflict } from '../../kernel/http/page-request.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { SessionReference, OpenSession, Session } from '../../kernel/sessions/session.ts'
import type { UserId, User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Headless } from '../headless.ts'
import { createJwt, type Jwt, type OwnClaims } from './jwt.ts'
import { type AccessTokens, sessionTokenReference, type TokenStrategy } from './strategy.ts'

/**
 * Creates the strategy in which apps use a session token while signing in, and then JWTs. With an RS algorithm, any
 * service can verify these itself.
 */
export function jwtStrategy(headless: Headless): TokenStrategy {
  const { jwtAlgorithm: algorithm, jwtPrivateKey: key, jwtIssuer, jwtAudience } = headless.kernel.settings.headless
  const jwt = createJwt({ algorithm, key, issuer: jwtIssuer, audience: jwtAudience }, headless.kernel.signer)
  const context: JwtContext = { headless, jwt }
  return {
    findSession: (request) => findSession(context, request),
    createSessionToken: (_request, token) => token,
    createAccessTokens: (request) => createAccessTokens(context, request),
    refresh: (request, given) => refresh(context, request, given),
    async checkAccessToken(token) {
      const claims = await verifyAccessToken(context, token)
      return claims === null ? null : { userId: parseSubject(headless.kernel, claims), claims }
    },
  }
}

async function findSession(context: JwtContext, request: WithHeaders): Promise<SessionReference | null> {
  const named = sessionTokenReference(request)
  if (named !== null) return named
  const { headless } = context
  const token = readCredential(request, headless.kernel.settings.headless.jwtAuthorizationHeaderScheme)
  const claims = token === null ? null : await verifyAccessToken(context, token)
  return claims === null ? null : openSealedSession(headless.kernel.sealer, claims.sid)
}

function createAccessTokens(
  context: JwtContext,
  { user, session, nowMs }: Visit,
): (() => Promise<AccessTokens>) | null {
  if (user === null || session.user === null) return null
  const { headless } = context
  const nowSeconds = Math.floor(nowMs / 1000)
  const first = [
    uuidV4(headless.kernel.random),
    nowSeconds + headless.kernel.settings.headless.jwtRefreshTokenExpiresIn,
  ] as const
  // Replaces the refresh tokens of an earlier login.
  storeLiveTokens(session, new Map([first]), nowSeconds)
  return async () => {
    const signedIn = toSignedIn(session, nowSeconds)
    if (signedIn === null) return {} // the session has ended meanwhile
    return {
      access_token: await signAccessToken(context, { ...signedIn, user }),
      refresh_token: await signRefreshToken(context, signedIn, first),
    }
  }
}

/**
 * Verifies an access token. With `jwtStatefulValidationEnabled`, also checks with one indexed read that the session
 * still exists and has the same user and login.
 */
async function verifyAccessToken(
  { headless, jwt }: JwtContext,
  token: string,
): Promise<(OwnClaims & Readonly<Record<string, unknown>>) | null> {
  const nowMs = headless.kernel.clock.now()
  const claims = await jwt.verify(token, 'access', nowMs)
  if (claims === null || !headless.kernel.settings.headless.jwtStatefulValidationEnabled) return claims
  const session = openSealedSession(headless.kernel.sealer, claims.sid)
  const there = session === null ? null : await headless.kernel.sessions.checkId(session.id, nowMs)
  const isSame = there?.authenticatedAtMs === session?.authenticatedAtMs
  return there !== null && isSame && formatSubject(there.user) === claims.sub ? claims : null
}

function parseSubject({ settings }: Pick<Kernel, 'settings'>, { sub }: OwnClaims): UserId {
  const { idType } = settings.userTable
  return idType === 'integer' || idType === 'bigint' ? Number(sub) : sub
}

/** How many times a refresh is tried if other requests keep changing the session. */
const MAX_ATTEMPTS = 20

/**
 * Exchanges a refresh token. With `jwtRotateRefreshToken`, a token works only once. If it's used again, it may have
 * been stolen, so its session ends and the user must sign in again. Requests with the same token at the same time, or
 * within `jwtRefreshTokenGracePeriod`, such as an app's retries, all get the same successor; if one of them was a
 * thief's, this is detected when the successor is reused.
 * @returns `null` if refused. Ends the session only if the token was used before the grace period.
 * @throws {AuthError} `overloaded`
 * @see RFC 9700 section 4.14.2 (refresh token rotation)
 */
async function refresh(context: JwtContext, request: Visit, given: string): Promise<AccessTokens | null> {
  const { headless } = context
  const { jwtRefreshTokenGracePeriod: gracePeriod, jwtRotateRefreshToken: rotates } = headless.kernel.settings.headless
  const { nowMs, clientIp: ip, userAgent } = request
  const claims = await context.jwt.verify(given, 'refresh', nowMs)
  const reference = claims === null ? null : openSealedSession(headless.kernel.sealer, claims.sid)
  if (claims === null || reference === null) return null
  const { jti, sub } = claims
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    const session = await headless.kernel.sessions.open(reference, { nowMs, ip, userAgent })
    const signedIn = toSignedIn(session, Math.floor(nowMs / 1000))
    if (signedIn === null || formatSubject(signedIn.user) !== sub) return null
    const live = readLiveTokens(session)
    if (!live.has(jti)) {
      const isRetry = tries > 0 || wasLastUsedSince(session, jti, nowMs - gracePeriod * 1_000)
      if (!isRetry) return endReusedSession(context, signedIn)
      const next = findLiveSuccessor(headless.kernel.signer, jti, live)
      return next === null ? null : createTokenPair(context, signedIn, next)
    }
    if (!rotates) return { access_token: await signAccessToken(context, signedIn) }
    const next = rotate(context, session, signedIn, jti)
    if (await isCommitted(session)) return createTokenPair(context, signedIn, next)
  }
  throw new AuthError('overloaded')
}

/** Replaces a refresh token with its successor in the session, which the caller must commit. */
function rotate(
  { headless }: JwtContext,
  session: OpenSession,
  { nowSeconds }: SignedIn,
  jti: string,
): readonly [string, number] {
  const next = [
    deriveSuccessorId(headless.kernel.signer, jti),
    nowSeconds + headless.kernel.settings.headless.jwtRefreshTokenExpiresIn,
  ] as const
  const others = [...readLiveTokens(session)].filter(([id]) => id !== jti)
  storeLiveTokens(session, new Map([...others, next]), nowSeconds)
  markTokenUsed(session, jti, headless.kernel.clock.now())
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

async function createTokenPair(
  context: JwtContext,
  signedIn: SignedIn,
  next: readonly [string, number],
): Promise<AccessTokens> {
  return {
    access_token: await signAccessToken(context, signedIn),
    refresh_token: await signRefreshToken(context, signedIn, next),
  }
}

async function endReusedSession({ headless }: JwtContext, { user, session }: SignedIn): Promise<null> {
  await headless.kernel.sessions.end(headless.kernel.database.db, user.id, [session.id])
  headless.kernel.log.warn('A refresh token was reused, so its session was ended', {
    userId: user.id,
    session: session.id,
  })
  return null
}

/** Session key: the expiry of each live refresh token by its ID, in seconds since the Unix epoch. */
const KEY = 'headless_refresh_tokens'
/** Session key: the last used refresh token, and when it was used, in milliseconds since the Unix epoch. */
const USED_KEY = 'headless_refreshed'
const SALT = 'gatepost.headless.jti'

type LiveTokens = ReadonlyMap<string, number>

/** Returns the session's live refresh tokens. */
function readLiveTokens(session: Pick<Session, 'get'>): LiveTokens {
  const stored = session.get(KEY)
  const entries = typeof stored === 'object' && stored !== null ? Object.entries(stored) : []
  return new Map(entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number'))
}

/** Stores the session's refresh tokens, without those that have expired at `nowSeconds`. */
function storeLiveTokens(session: Pick<Session, 'set'>, tokens: LiveTokens, nowSeconds: number): void {
  session.set(KEY, Object.fromEntries([...tokens].filter(([, exp]) => exp > nowSeconds)))
}

const markTokenUsed = (session: Pick<Session, 'set'>, jti: string, atMs: number): void =>
  session.set(USED_KEY, { jti, at_ms: atMs })

/** Returns whether this token was the last one used, at or after `ms`. */
function wasLastUsedSince(session: Pick<Session, 'get'>, jti: string, ms: number): boolean {
  const used = session.get(USED_KEY)
  if (typeof used !== 'object' || used === null || !('jti' in used && 'at_ms' in used)) return false
  return used.jti === jti && typeof used.at_ms === 'number' && used.at_ms >= ms
}

/**
 * Derives the ID of a refresh token's successor. Only this server can derive it, and parallel requests get the same
 * successor.
 */
export const deriveSuccessorId = (signer: Signer, jti: string): string =>
  uuidFromFingerprint(signer.fingerprint(jti, SALT))

/**
 * Returns a refresh token's successor and its expiry if it's among the live tokens, or `null`. Also finds one derived
 * with an older key.
 */
export function findLiveSuccessor(signer: Signer, jti: string, live: LiveTokens): readonly [string, number] | null {
  const ids = signer.fingerprints(jti, SALT).map(uuidFromFingerprint)
  return [...live].find(([id]) => ids.includes(id)) ?? null
}

const uuidFromFingerprint = (fingerprint: string): string =>
  uuidV4((length) => Buffer.from(fingerprint, 'hex').subarray(0, length))

/** The dependencies of the functions here. */
interface JwtContext {
  readonly headless: Headless
  readonly jwt: Jwt
}

/** A login that tokens are issued for. */
interface SignedIn {
  readonly user: User
  readonly session: Omit<SignInReference, 'kind'>
  /** The request's time, in seconds since the Unix epoch. */
  readonly nowSeconds: number
}

/** Returns the session's login, or `null` if no user is signed in or the session isn't stored. */
function toSignedIn({ id, user, authenticatedAtMs }: OpenSession, nowSeconds: number): SignedIn | null {
  if (id === null || user === null || authenticatedAtMs === null) return null
  return { user, session: { id, authenticatedAtMs }, nowSeconds }
}

/** Returns a user's `sub` claim. */
const formatSubject = ({ id }: Pick<User, 'id'>): string => String(id)

/** Issues an access token, including the host's claims. */
async function signAccessToken(
  { headless, jwt }: JwtContext,
  { user, session, nowSeconds }: SignedIn,
): Promise<string> {
  const claims = {
    iat: nowSeconds,
    exp: nowSeconds + headless.kernel.settings.headless.jwtAccessTokenExpiresIn,
    sid: sealSession(headless.kernel.sealer, session),
    jti: uuidV4(headless.kernel.random),
    token_use: 'access',
    sub: formatSubject(user),
  } as const
  return jwt.sign(claims, headless.adapter.getClaims(user))
}

/** Issues a refresh token with an ID and an expiry in seconds since the Unix epoch. */
async function signRefreshToken(
  { headless, jwt }: JwtContext,
  { user, session, nowSeconds }: SignedIn,
  [jti, exp]: readonly [string, number],
): Promise<string> {
  const sid = sealSession(headless.kernel.sealer, session)
  return jwt.sign({ iat: nowSeconds, exp, sid, jti, token_use: 'refresh', sub: formatSubject(user) })
}

const CONTEXT = 'gatepost.headless.sid'

/** Identifies the session and login that a token belongs to. */
type SignInReference = Required<Extract<SessionReference, { kind: 'id' }>>

/**
 * Returns the `sid` claim, sealed so that it's different each time. Contains the session ID and the login time, so that
 * tokens become invalid when the user signs in again, for example after a password change.
 */
const sealSession = (sealer: Sealer, { id, authenticatedAtMs }: Omit<SignInReference, 'kind'>): string =>
  sealer.seal(`${authenticatedAtMs} ${id}`, CONTEXT)

/** Opens a `sid` claim; `null` if its secret key has been removed. */
function openSealedSession(sealer: Sealer, sid: string): SignInReference | null {
  try {
    const [at = '', id = ''] = sealer.open(sid, CONTEXT).split(' ')
    return { kind: 'id', id, authenticatedAtMs: Number(at) }
  } catch (error) {
    if (error instanceof AuthError && error.code === 'secret_unreadable') return null
    throw error
  }
}
