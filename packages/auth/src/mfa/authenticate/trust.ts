import { CODE_STAGE, codeStageData } from '../../account/login/code-delivery.ts'
import { isUnproven } from '../../account/email/first-proof.ts'
import { equalsConstantTime } from '../../kernel/crypto/crypto.ts'
import { readCookie, setCookie } from '../../kernel/http/cookies.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Login, LoginStage } from '../../kernel/login.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import { MFA_STAGE } from './by-code.ts'
import type { TrustFlow } from '../mfa.ts'
import { isUnreadable } from '../sealed-secret.ts'
import type { Mfa } from '../second-factors.ts'

/** Salt of the signature: the same as on migrated sites, so that their cookies stay valid. */
const SIGNATURE_SALT = 'django.core.signing.Signer'
const FINGERPRINT_SALT = 'allauth.mfa.trust'
/** Maximum number of users who can share a browser; a cookie has at most 4,096 bytes. */
const MAX_ENTRIES = 20

/** The cookie's entry for one user: a fingerprint, and when the browser was trusted (seconds since the Unix epoch). */
type TrustEntry = readonly [fingerprint: string, issuedAt: number]

/** Creates the flow of trusted browsers, which skip the second factor. */
export function trustFlow(mfa: Mfa): TrustFlow {
  return {
    isTrusted: (request, user) => isTrusted(mfa, request, user),
    trust: (request, user) => trust(mfa, request, user),
  }
}

/**
 * Returns whether the browser has a valid cookie for this user. A new password, and adding or removing an
 * authenticator, invalidate it.
 */
async function isTrusted(mfa: Mfa, request: Visit, user: User): Promise<boolean> {
  const { mfa: settings, account } = mfa.kernel.settings
  if (!settings.enabled || !(settings.trustEnabled || account.loginByCodeTrustEnabled)) return false
  const entries = readTrustEntries(mfa.kernel, request)
  if (entries.length === 0) return false
  const present = mfa.kernel.signer.fingerprints(await computeTrustState(mfa, request, user), FINGERPRINT_SALT)
  return entries.some(([fingerprint]) => present.some((known) => equalsConstantTime(known, fingerprint)))
}

/** Adds this browser to the cookie. Does nothing for apps, which have no cookies. */
async function trust(mfa: Mfa, request: Visit, user: User): Promise<void> {
  if (request.client === 'app') return
  const settings = mfa.kernel.settings.mfa
  const fingerprint = mfa.kernel.signer.fingerprint(await computeTrustState(mfa, request, user), FINGERPRINT_SALT)
  const others = readTrustEntries(mfa.kernel, request).filter(([known]) => known !== fingerprint)
  const entries = [...others, [fingerprint, Math.floor(request.nowMs / 1000)] as const].slice(-MAX_ENTRIES)
  const cookie = setCookie(settings.trustCookieName, mfa.kernel.signer.signObject(entries, SIGNATURE_SALT), {
    path: settings.trustCookiePath,
    domain: settings.trustCookieDomain,
    secure: settings.trustCookieSecure,
    httpOnly: settings.trustCookieHttponly,
    sameSite: settings.trustCookieSamesite,
    maxAge: settings.trustCookieAge,
  })
  request.setCookies.push(cookie)
}

/**
 * Returns what trust depends on: the user, the password, every authenticator, and whether the account is still unproven,
 * so that its owner's first proof ends the trust of other people's browsers.
 */
async function computeTrustState(mfa: Mfa, request: Visit, user: User): Promise<string> {
  const password = (await mfa.kernel.users.loadPasswordHash(request.db, user.id)) ?? ''
  const rows = await mfa.authenticators.ofUser(request.db, user.id)
  const parts = rows.flatMap(({ id, type, data: { seed } }) => [
    String(id),
    type,
    ...(typeof seed === 'string' ? [openTrustSeed(mfa, seed)] : []),
  ])
  const unproven = isUnproven(await mfa.account.emails.ofUser(request.db, user.id)) ? ['unproven'] : []
  return [String(user.id), password, ...parts, ...unproven].join('|')
}

/** Opens a seed, so that resealing doesn't change it. Returns an unreadable one as it is. */
function openTrustSeed(mfa: Mfa, seed: string): string {
  try {
    return mfa.adapter.decrypt(seed)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    return seed
  }
}

/** Returns the entries of the cookie that haven't expired. */
function readTrustEntries(kernel: Kernel, { raw, nowMs }: Visit): readonly TrustEntry[] {
  const { trustCookieName, trustCookieAge } = kernel.settings.mfa
  const cookie = readCookie(raw.headers.get('cookie'), trustCookieName)
  const value = cookie === null ? null : kernel.signer.unsignObject(cookie, SIGNATURE_SALT)
  if (!Array.isArray(value)) return []
  return value.filter(isEntry).filter(([, issuedAt]) => issuedAt + trustCookieAge > nowMs / 1000)
}

const isEntry = (value: unknown): value is TrustEntry =>
  Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'number'

/** Key of the login stage, and name of its page. */
/** The stage's key, which is also its page's name. */
export const TRUST_STAGE = 'mfa_trust'

/** Returns the login stage that offers to trust the browser after a second factor or a required login code. */
export const trustStage = (mfa: Mfa): LoginStage => ({
  key: TRUST_STAGE,
  page: TRUST_STAGE,
  resumable: () => true,
  enter: (request, login) =>
    Promise.resolve(isOffered(mfa.kernel, request, login) ? { kind: 'wait' } : { kind: 'pass' }),
})

/** Returns whether to offer it. Apps have no cookies. */
function isOffered({ settings: { mfa, account } }: Pick<Kernel, 'settings'>, request: Visit, login: Login): boolean {
  if (!mfa.enabled || login.user === null || request.client === 'app') return false
  const wasShown = (stage: string): boolean => login.state.stages[stage]?.shown === true
  const demanded = wasShown(CODE_STAGE) && !codeStageData(login).initiatedByUser
  return (mfa.trustEnabled && wasShown(MFA_STAGE)) || (account.loginByCodeTrustEnabled && demanded)
}
