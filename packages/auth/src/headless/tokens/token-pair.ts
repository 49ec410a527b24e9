import type { Headless } from '../headless.ts'
import { uuidV4 } from '../../kernel/crypto/uuid.ts'
import type { OpenSession } from '../../kernel/sessions/session.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Jwt } from './jwt.ts'
import { sealSession, type SignInReference } from './sealed-session.ts'

/** What tokens are made with. */
export interface TokenMaker {
  readonly headless: Headless
  readonly jwt: Jwt
}

/** A sign-in that tokens are made for. */
export interface SignedIn {
  readonly user: User
  readonly session: Omit<SignInReference, 'kind'>
  /** Of the request, in seconds since the Unix epoch. */
  readonly nowSeconds: number
}

/** `null`: nobody is signed in, or the session is not stored. */
export function signedInOf({ id, user, authenticatedAtMs }: OpenSession, nowSeconds: number): SignedIn | null {
  if (id === null || user === null || authenticatedAtMs === null) return null
  return { user, session: { id, authenticatedAtMs }, nowSeconds }
}

/** The claim `sub` of a user. */
export const subjectOf = ({ id }: Pick<User, 'id'>): string => String(id)

/** With the claims of the host. */
export async function accessToken(
  { headless, jwt }: TokenMaker,
  { user, session, nowSeconds }: SignedIn,
): Promise<string> {
  const claims = {
    iat: nowSeconds,
    exp: nowSeconds + headless.kernel.settings.headless.jwtAccessTokenExpiresIn,
    sid: sealSession(headless.kernel.sealer, session),
    jti: uuidV4(headless.kernel.random),
    token_use: 'access',
    sub: subjectOf(user),
  } as const
  return jwt.sign(claims, headless.adapter.getClaims(user))
}

/** @param token Its id, and when it ends in seconds since the Unix epoch. */
export async function refreshToken(
  { headless, jwt }: TokenMaker,
  { user, session, nowSeconds }: SignedIn,
  [jti, exp]: readonly [string, number],
): Promise<string> {
  const sid = sealSession(headless.kernel.sealer, session)
  return jwt.sign({ iat: nowSeconds, exp, sid, jti, token_use: 'refresh', sub: subjectOf(user) })
}
