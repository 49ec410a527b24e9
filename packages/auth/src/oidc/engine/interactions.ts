import type { Account } from '../../account/account.ts'
import { AuthError, InvalidInput } from '../../errors.ts'
import { readCookie } from '../../kernel/http/cookies.ts'
import type { Visit } from '../../kernel/visit.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import type { User } from '../../kernel/users/user.ts'
import type { OidcClient } from '../clients.ts'
import type { OidcEngine, PendingAuthorization } from '../oidc.ts'
import { toLibraryTime } from './storage.ts'
import { type EngineParts, KINDS, requestedScopes } from './parts.ts'
import { fingerprintAuthentication, toLibrarySession } from './session.ts'

/** The cookie that binds an interaction to the browser that started it. */
export const INTERACTION_COOKIE = 'gatepost_oidc_interaction'

/** A stored interaction, as written by the protocol engine. */
interface Stored {
  readonly payload: Readonly<Record<string, unknown>>
  readonly expiresAtMs: number
  readonly client: OidcClient
  readonly prompt: string
  readonly reasons: readonly string[]
  readonly params: Readonly<Record<string, unknown>>
  /** The fingerprint of the authentication when it started. */
  readonly proof: unknown
}

type Interactions = Pick<OidcEngine, 'pending' | 'signedIn' | 'consent' | 'refuse'>

/** Creates the engine's functions for the interaction page. */
export function createInteractions(parts: EngineParts): Interactions {
  return {
    async pending(request, uid) {
      const stored = await load(parts, request, uid)
      return stored === null ? null : describe(parts, request, uid, stored)
    },
    async signedIn(request, uid, user) {
      const stored = await requireInteraction(parts, request, uid)
      const who = request.user?.id === user.id ? toLibrarySession(parts.oidc, request, stored.client) : null
      if (who === null || needsConfirmation(parts.oidc.account, request, stored, who.atMs))
        return `${parts.oidc.paths.interaction}${uid}/`
      if (hintsOtherAccount(stored, who.sub)) {
        return storeInteractionResult(parts, uid, stored, toOAuthError('login_required', 'Another user is signed in.'))
      }
      const ts = Math.floor(toLibraryTime(parts.oidc.kernel, who.atMs))
      const login = { accountId: who.sub, ts, amr: who.amr, acr: who.acr }
      return storeInteractionResult(parts, uid, stored, { ...readLastSubmission(stored), login })
    },
    async consent(request, uid, user, given) {
      const stored = await requireInteraction(parts, request, uid)
      const asked = readRequestedScopes(stored)
      const scopes = asked.filter((scope) => given.scopes.includes(scope))
      const refused = asked.filter((scope) => !scopes.includes(scope))
      await checkConsent(parts, request, user, scopes, given.email)
      const { db } = parts.oidc.kernel.database
      const email = given.email === undefined ? {} : { email: given.email }
      await parts.consents.give(db, stored.client.id, user.id, { scopes, refused, ...email })
      const accountId = parts.oidc.adapter.getUserSub(stored.client, user)
      return storeInteractionResult(parts, uid, stored, {
        ...readLastSubmission(stored),
        consent: { accountId, scopes },
      })
    },
    async refuse(request, uid) {
      const stored = await requireInteraction(parts, request, uid)
      return storeInteractionResult(parts, uid, stored, toOAuthError('access_denied', 'The user denied the request.'))
    },
  }
}

const toOAuthError = (error: string, description: string) => ({ error, error_description: description })

async function load({ oidc }: EngineParts, request: Visit, uid: string): Promise<Stored | null> {
  if (readCookie(request.raw.headers.get('cookie'), INTERACTION_COOKIE) !== uid) return null
  const found = await oidc.kernel.artifacts.get(
    oidc.kernel.database.db,
    KINDS.interaction,
    uid,
    oidc.kernel.clock.now(),
  )
  if (found === null || !isRecord(found.payload)) return null
  const { payload, expiresAtMs } = found
  const { params, prompt, proof } = payload
  if (!isRecord(params) || !isRecord(prompt)) return null
  const client = await oidc.clients.byId(oidc.kernel.database.db, String(params['client_id']))
  if (client === null) return null
  const { reasons } = prompt
  return {
    payload,
    expiresAtMs,
    client,
    params,
    prompt: String(prompt['name']),
    reasons: Array.isArray(reasons) ? reasons.map(String) : [],
    proof,
  }
}

/** Loads an interaction. @throws {AuthError} `not_found` if it's unknown or has expired */
async function requireInteraction(parts: EngineParts, request: Visit, uid: string): Promise<Stored> {
  const stored = await load(parts, request, uid)
  if (stored === null) throw new AuthError('not_found')
  return stored
}

const readRequestedScopes = ({ params, client }: Stored): readonly string[] =>
  requestedScopes(typeof params['scope'] === 'string' ? params['scope'] : null, client)

async function describe(
  { oidc, consents }: EngineParts,
  request: Visit,
  uid: string,
  stored: Stored,
): Promise<PendingAuthorization> {
  const { client, params, prompt } = stored
  const { user } = request
  const who = toLibrarySession(oidc, request, client)
  const scopes = readRequestedScopes(stored)
  const consent = user === null ? null : await consents.find(oidc.kernel.database.db, client.id, user.id)
  const needsLogin = who === null || prompt === 'login' || isOtherAccount(stored, who.sub)
  const isOld = who !== null && needsConfirmation(oidc.account, request, stored, who.atMs)
  const { login_hint: hint, redirect_uri: uri } = params
  return {
    uid,
    client,
    needs: isOld ? 'reauthenticate' : needsLogin ? 'login' : 'consent',
    scopes,
    newScopes: scopes.filter((scope) => consent?.scopes.includes(scope) !== true),
    loginHint: typeof hint === 'string' ? hint : null,
    asksForEmail: scopes.includes('email'),
    redirectUri: typeof uri === 'string' ? uri : '',
  }
}

/** Returns whether another user started the interaction: the engine doesn't know the current user yet. */
const isOtherAccount = ({ payload }: Stored, sub: string): boolean =>
  isRecord(payload['session']) && payload['session']['accountId'] !== sub

/**
 * Minimum age that's accepted for an authentication, even with a lower `max_age`, so that slow users aren't asked
 * forever.
 */
const MIN_MAX_AGE_MS = 60_000

/**
 * Returns whether the user must reauthenticate: `prompt=login` requires an authentication after the request, and
 * `max_age` one that's not older than that.
 */
function needsConfirmation(account: Account, request: Visit, stored: Stored, atMs: number): boolean {
  const { prompt, reasons, params, proof } = stored
  if (prompt !== 'login') return false
  const isSame = proof === fingerprintAuthentication(account, request)
  if (reasons.includes('login_prompt') && isSame) return true
  const isOld = request.nowMs - atMs > Math.max(Number(params['max_age']) * 1_000, MIN_MAX_AGE_MS)
  return reasons.includes('max_age') && (isSame || isOld)
}

/**
 * Returns whether the client expects another user, according to `id_token_hint`, whose signature was verified when the
 * request arrived.
 */
function hintsOtherAccount({ params }: Stored, sub: string): boolean {
  const hint = params['id_token_hint']
  if (typeof hint !== 'string') return false
  const claims: unknown = JSON.parse(Buffer.from(hint.split('.')[1] ?? '', 'base64url').toString())
  return isRecord(claims) && claims['sub'] !== sub
}

/** Returns the results of earlier steps of the authorization. */
const readLastSubmission = ({ payload }: Stored): Readonly<Record<string, unknown>> =>
  isRecord(payload['lastSubmission']) ? payload['lastSubmission'] : {}

async function storeInteractionResult(
  { oidc }: EngineParts,
  uid: string,
  { payload, expiresAtMs }: Stored,
  result: Readonly<Record<string, unknown>>,
): Promise<string> {
  await oidc.kernel.artifacts.put(oidc.kernel.database.db, KINDS.interaction, uid, {
    payload: { ...payload, result },
    expiresAtMs,
  })
  return `${oidc.paths.authorize}/${uid}`
}

/** Checks the selected scopes and email address. @throws {InvalidInput} `required`, `invalid_choice` */
async function checkConsent(
  { oidc }: EngineParts,
  request: Visit,
  user: User,
  scopes: readonly string[],
  email: string | undefined,
): Promise<void> {
  const { validationError } = oidc.account.adapter
  if (scopes.length === 0) throw new InvalidInput([validationError('required', { param: 'scopes' })])
  if (email === undefined) return
  const found = await oidc.account.emails.find(request.db, user.id, email)
  if (found?.verified !== true) throw new InvalidInput([validationError('invalid_choice', { param: 'email' })])
}
