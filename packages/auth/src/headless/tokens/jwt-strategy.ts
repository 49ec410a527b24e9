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

/** The `iss` claim if neither the settings nor the host define an issuer. */
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
      const claims = await verifyAccessToken(maker, token)
      return claims === null ? null : { userId: parseSubject(headless.kernel, claims), claims }
    },
  }
}

async function findSession(maker: TokenMaker, request: WithHeaders): Promise<SessionReference | null> {
  const named = sessionTokenReference(request)
  if (named !== null) return named
  const { headless } = maker
  const token = readCredential(request, headless.kernel.settings.headless.jwtAuthorizationHeaderScheme)
  const claims = token === null ? null : await verifyAccessToken(maker, token)
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
    const signedIn = toSignedIn(session, nowSeconds)
    if (signedIn === null) return {} // it was ended meanwhile
    return {
      access_token: await signAccessToken(maker, { ...signedIn, user }),
      refresh_token: await signRefreshToken(maker, signedIn, first),
    }
  }
}

/** With `jwtStatefulValidationEnabled` the session must be there, and still be the user's: one indexed read. */
async function verifyAccessToken(
  { headless, jwt }: TokenMaker,
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

/** Each time another request has changed the session. */
const TRIES = 20

/**
 * Exchanges a refresh token, which is valid once. A reused token was copied: its session ends and the user must sign
 * in again. Parallel requests with one token (an app that retries) all get the same successor: a copy among them is
 * detected when the successor is reused.
 * @returns `null` if refused. Ends the session only if the token was used before the request came.
 * @throws {AuthError} `overloaded`
 * @see RFC 9700 section 4.14.2 (refresh token rotation)
 */
async function refresh(maker: TokenMaker, request: Visit, given: string): Promise<AccessTokens | null> {
  const { headless } = maker
  const { nowMs, clientIp: ip, userAgent } = request
  const claims = await maker.jwt.verify(given, 'refresh', nowMs)
  const reference = claims === null ? null : openSealedSession(headless.kernel.sealer, claims.sid)
  if (claims === null || reference === null) return null
  const { jti, sub } = claims
  for (let tries = 0; tries < TRIES; tries++) {
    const session = await headless.kernel.sessions.open(reference, { nowMs, ip, userAgent })
    const signedIn = toSignedIn(session, Math.floor(nowMs / 1000))
    if (signedIn === null || formatSubject(signedIn.user) !== sub) return null
    const live = readLiveTokens(session)
    if (!live.has(jti)) {
      const isUnderWayAtOnce = tries > 0 || wasLastUsedSince(session, jti, nowMs)
      if (!isUnderWayAtOnce) return endReusedSession(maker, signedIn)
      const next = findLiveSuccessor(headless.kernel.signer, jti, live)
      return next === null ? null : createTokenPair(maker, signedIn, next)
    }
    if (!headless.kernel.settings.headless.jwtRotateRefreshToken)
      return { access_token: await signAccessToken(maker, signedIn) }
    const next = rotate(maker, session, signedIn, jti)
    if (await isCommitted(session)) return createTokenPair(maker, signedIn, next)
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
  maker: TokenMaker,
  signedIn: SignedIn,
  next: readonly [string, number],
): Promise<AccessTokens> {
  return {
    access_token: await signAccessToken(maker, signedIn),
    refresh_token: await signRefreshToken(maker, signedIn, next),
  }
}

async function endReusedSession({ headless }: TokenMaker, { user, session }: SignedIn): Promise<null> {
  await headless.kernel.sessions.end(headless.kernel.database.db, user.id, [session.id])
  headless.kernel.log.warn('A refresh token came again after it was used up: its session is ended', {
    userId: user.id,
    session: session.id,
  })
  return null
}

/** Entry of a session: id of each live refresh token -> when it ends, in seconds since the Unix epoch. */
const KEY = 'headless_refresh_tokens'
/** Entry of a session: the refresh token that was used up last, and when: milliseconds since the Unix epoch. */
const USED_KEY = 'headless_refreshed'
const SALT = 'gatepost.headless.jti'

type LiveTokens = ReadonlyMap<string, number>

/** The refresh tokens of a session that can be used. */
function readLiveTokens(session: Pick<Session, 'get'>): LiveTokens {
  const stored = session.get(KEY)
  const entries = typeof stored === 'object' && stored !== null ? Object.entries(stored) : []
  return new Map(entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number'))
}

/** @param nowSeconds What has ended by then is forgotten. */
function storeLiveTokens(session: Pick<Session, 'set'>, tokens: LiveTokens, nowSeconds: number): void {
  session.set(KEY, Object.fromEntries([...tokens].filter(([, exp]) => exp > nowSeconds)))
}

const markTokenUsed = (session: Pick<Session, 'set'>, jti: string, atMs: number): void =>
  session.set(USED_KEY, { jti, at_ms: atMs })

/** Whether this token was used up last, and not before `ms`: the request that came then was under way already. */
function wasLastUsedSince(session: Pick<Session, 'get'>, jti: string, ms: number): boolean {
  const used = session.get(USED_KEY)
  if (typeof used !== 'object' || used === null || !('jti' in used && 'at_ms' in used)) return false
  return used.jti === jti && typeof used.at_ms === 'number' && used.at_ms >= ms
}

/**
 * Derives the id of the token that follows a refresh token. Only this server can derive it, so the second of two
 * parallel requests gets the same successor as the first.
 */
export const deriveSuccessorId = (signer: Signer, jti: string): string =>
  uuidFromFingerprint(signer.fingerprint(jti, SALT))

/** The successor that a refresh token has among these, with its end; also one named under an older key. */
export function findLiveSuccessor(signer: Signer, jti: string, live: LiveTokens): readonly [string, number] | null {
  const ids = signer.fingerprints(jti, SALT).map(uuidFromFingerprint)
  return [...live].find(([id]) => ids.includes(id)) ?? null
}

const uuidFromFingerprint = (fingerprint: string): string =>
  uuidV4((length) => Buffer.from(fingerprint, 'hex').subarray(0, length))

/** What tokens are made with. */
interface TokenMaker {
  readonly headless: Headless
  readonly jwt: Jwt
}

/** A sign-in that tokens are made for. */
interface SignedIn {
  readonly user: User
  readonly session: Omit<SignInReference, 'kind'>
  /** Of the request, in seconds since the Unix epoch. */
  readonly nowSeconds: number
}

/** `null`: nobody is signed in, or the session is not stored. */
function toSignedIn({ id, user, authenticatedAtMs }: OpenSession, nowSeconds: number): SignedIn | null {
  if (id === null || user === null || authenticatedAtMs === null) return null
  return { user, session: { id, authenticatedAtMs }, nowSeconds }
}

/** The claim `sub` of a user. */
const formatSubject = ({ id }: Pick<User, 'id'>): string => String(id)

/** With the claims of the host. */
async function signAccessToken(
  { headless, jwt }: TokenMaker,
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

/** @param token Its id, and when it ends in seconds since the Unix epoch. */
async function signRefreshToken(
  { headless, jwt }: TokenMaker,
  { user, session, nowSeconds }: SignedIn,
  [jti, exp]: readonly [string, number],
): Promise<string> {
  const sid = sealSession(headless.kernel.sealer, session)
  return jwt.sign({ iat: nowSeconds, exp, sid, jti, token_use: 'refresh', sub: formatSubject(user) })
}

const CONTEXT = 'gatepost.headless.sid'

/** Identifies the sign-in of a session that a token belongs to. */
type SignInReference = Required<Extract<SessionReference, { kind: 'id' }>>

/**
 * Returns the `sid` claim: a different sealed text each time. Holds the session id and the sign-in time, so that
 * tokens end when the user signs in again, for example with a new password.
 */
const sealSession = (sealer: Sealer, { id, authenticatedAtMs }: Omit<SignInReference, 'kind'>): string =>
  sealer.seal(`${authenticatedAtMs} ${id}`, CONTEXT)

/** `null`: it cannot be opened, as its key is no longer there. */
function openSealedSession(sealer: Sealer, sid: string): SignInReference | null {
  try {
    const [at = '', id = ''] = sealer.open(sid, CONTEXT).split(' ')
    return { kind: 'id', id, authenticatedAtMs: Number(at) }
  } catch (error) {
    if (error instanceof AuthError && error.code === 'secret_unreadable') return null
    throw error
  }
}
