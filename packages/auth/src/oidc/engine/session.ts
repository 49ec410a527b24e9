import type { Oidc } from '../oidc.ts'
import type { Account } from '../../account/account.ts'
import type { AuthenticationRecord } from '../../kernel/login.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { OidcClient } from '../clients.ts'

/** One authentication factor, or two different ones (NIST SP 800-63B). */
export const ACR_VALUES = ['aal1', 'aal2'] as const

/** The signed-in user as a client sees them. The library uses the site's session. */
export interface SignedIn {
  readonly sub: string
  /** When the user last authenticated, in milliseconds since the Unix epoch. */
  readonly atMs: number
  readonly acr: (typeof ACR_VALUES)[number]
  /** @see RFC 8176 */
  readonly amr: readonly string[]
}

/** Returns the signed-in user for a client, or `null`. */
export function toLibrarySession(oidc: Oidc, request: Visit, client: OidcClient): SignedIn | null {
  const { user, session } = request
  if (user === null) return null
  const records = oidc.account.login.records(request)
  const amr = new Set(records.flatMap(toAmrValues))
  if (isMultiFactor(records)) amr.add('mfa')
  const newest = records.at(-1)
  return {
    sub: oidc.adapter.getUserSub(client, user),
    atMs: newest === undefined ? (session.authenticatedAtMs ?? request.nowMs) : newest.at * 1_000,
    acr: amr.has('mfa') ? 'aal2' : 'aal1',
    amr: [...amr],
  }
}

/**
 * Returns a fingerprint that changes with every authentication, so that an earlier authentication can't satisfy a
 * request to reauthenticate. `null` if signed out.
 */
export function fingerprintAuthentication(account: Account, request: Visit): string | null {
  if (request.user === null) return null
  const records = account.login.records(request)
  return `${records.length} ${records.at(-1)?.at ?? 0} ${request.session.authenticatedAtMs ?? 0}`
}

const METHODS: Readonly<Record<string, readonly string[]>> = { password: ['pwd'], code: ['otp'] }
const FACTORS: Readonly<Record<string, readonly string[]>> = {
  totp: ['otp'],
  recovery_codes: ['otp'],
  webauthn: ['hwk'],
}

function toAmrValues({ method, type }: AuthenticationRecord): readonly string[] {
  const known = method === 'mfa' ? FACTORS[String(type)] : METHODS[method]
  return known ?? []
}

/** Returns whether two factors were used. A passkey login counts as two, because the device verifies its user. */
const isMultiFactor = (records: readonly AuthenticationRecord[]): boolean =>
  records.some(({ method, passwordless }) => method === 'mfa' && passwordless === true) ||
  (records.some(({ method }) => method === 'mfa') && records.some(({ method }) => method !== 'mfa'))
