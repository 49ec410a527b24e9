import type { Core } from '../../core.ts'
import { sameInConstantTime } from '../../kernel/crypto/constant-time.ts'
import { cookieOf, setCookie } from '../../kernel/http/cookies.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { TrustFlow } from '../mfa.ts'
import { isUnreadable } from '../sealed-secret.ts'

/** Salt of the signature: that of the framework of old sites, whose cookies go on. */
const SIGNATURE_SALT = 'django.core.signing.Signer'
const FINGERPRINT_SALT = 'allauth.mfa.trust'
/** People who share a browser; a cookie has 4,096 bytes. */
const MAX_ENTRIES = 20

/** What the cookie keeps of one person: a fingerprint, and when it was trusted, in seconds since the Unix epoch. */
type Entry = readonly [fingerprint: string, issuedAt: number]

/** Browsers that are not asked again. @param core Asked at each call: the flow is part of it. */
export function trustFlow(core: () => Core): TrustFlow {
  return {
    isTrusted: (request, user) => isTrusted(core(), request, user),
    trust: (request, user) => trust(core(), request, user),
  }
}

/**
 * Whether the browser has a cookie for this user as they are now: with another password or other authenticators it
 * counts no longer.
 */
async function isTrusted(core: Core, request: Visit, user: User): Promise<boolean> {
  const { mfa, account } = core.settings
  if (!mfa.enabled || !(mfa.trustEnabled || account.loginByCodeTrustEnabled)) return false
  const entries = entriesOf(core, request)
  if (entries.length === 0) return false
  const present = core.signer.fingerprints(await stateOf(core, request, user), FINGERPRINT_SALT)
  return entries.some(([fingerprint]) => present.some((known) => sameInConstantTime(known, fingerprint)))
}

/** Nothing for an app, which has no cookies. */
async function trust(core: Core, request: Visit, user: User): Promise<void> {
  if (request.client === 'app') return
  const { mfa } = core.settings
  const fingerprint = core.signer.fingerprint(await stateOf(core, request, user), FINGERPRINT_SALT)
  const others = entriesOf(core, request).filter(([known]) => known !== fingerprint)
  const entries = [...others, [fingerprint, Math.floor(request.nowMs / 1000)] as const].slice(-MAX_ENTRIES)
  const cookie = setCookie(mfa.trustCookieName, core.signer.signObject(entries, SIGNATURE_SALT), {
    path: mfa.trustCookiePath,
    domain: mfa.trustCookieDomain,
    secure: mfa.trustCookieSecure,
    httpOnly: mfa.trustCookieHttponly,
    sameSite: mfa.trustCookieSamesite,
    maxAge: mfa.trustCookieAge,
  })
  request.setCookies.push(cookie)
}

/** What a trust depends on: the user, the password, and every authenticator. */
async function stateOf(core: Core, request: Visit, user: User): Promise<string> {
  const password = (await core.users.passwordOf(request.db, user.id)) ?? ''
  const rows = await core.mfa.authenticators.ofUser(request.db, user.id)
  const parts = rows.flatMap(({ id, type, data: { seed } }) => [
    String(id),
    type,
    ...(typeof seed === 'string' ? [readable(core, seed)] : []),
  ])
  return [String(user.id), password, ...parts].join('|')
}

/** A seed that is sealed anew is still the same. One that cannot be opened stands for itself. */
function readable(core: Core, seed: string): string {
  try {
    return core.mfa.adapter.decrypt(seed)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    return seed
  }
}

/** The entries of the cookie that have not expired. */
function entriesOf(core: Core, { raw, nowMs }: Visit): readonly Entry[] {
  const { trustCookieName, trustCookieAge } = core.settings.mfa
  const cookie = cookieOf(raw.headers.get('cookie'), trustCookieName)
  const value = cookie === null ? null : core.signer.unsignObject(cookie, SIGNATURE_SALT)
  if (!Array.isArray(value)) return []
  return value.filter(isEntry).filter(([, issuedAt]) => issuedAt + trustCookieAge > nowMs / 1000)
}

const isEntry = (value: unknown): value is Entry =>
  Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'number'
