import type { Account } from '../../account/account.ts'
import { AuthError, ImmediateResponse, InvalidInput } from '../../errors.ts'
import { isConflict } from '../../kernel/http/page-request.ts'
import type { JsonObject } from '../../kernel/settings/json-object.ts'
import type { UserId } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { SocialAuthError } from '../adapter.ts'
import { ProviderError, type ExchangeCall, type ProviderIdentity, type TokenReplay } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { connect, requireConnectUser } from '../links/connect.ts'
import { dropPendingSignup, signUp } from '../signup/sign-up.ts'
import { AccountTaken } from '../signup/save-user.ts'
import type { Social, SocialOutcome, SocialStart } from '../social-accounts.ts'
import type { SocialState, SocialLogin } from '../social-login.ts'
import { boundedFetch, fetchPublic, sendToProvider } from '../wire/public-fetch.ts'
import { acceptLogin } from './accept-login.ts'
import { findExistingUser, lookUp } from './lookup.ts'
import { createSocialLogin } from './create-social-login.ts'

/** Returns the inputs of an exchange: the provider's app and the I/O it may use. */
export function exchangeCall(social: Social, request: Visit, provider: Provider): ExchangeCall {
  const { queryEmail, storeTokens, requestsTimeout } = social.kernel.settings.socialaccount
  const { clock, random, log } = social.kernel
  const bounds = { clock, timeoutMs: requestsTimeout * 1_000 }
  const send = social.adapter.getRequestsSession()
  // A host that replaces the hook, for example to use a proxy, is responsible for where requests go.
  const sendPublic = send === sendToProvider ? fetchPublic : send
  return {
    io: { fetch: boundedFetch(send, bounds), fetchPublic: boundedFetch(sendPublic, bounds), clock, random, log },
    app: provider.app,
    redirectUri: request.absolute(provider.callbackPath),
    queryEmail,
    storeTokens,
    siteName: request.site.name,
  }
}

/**
 * Starts a handshake and returns the URL to redirect to.
 * @throws {AuthError} `login_required`, `reauthentication_required`
 * @throws {ProviderError}
 */
export async function beginHandshake(
  social: Social,
  request: Visit,
  provider: Provider,
  start: SocialStart,
): Promise<string> {
  if (start.process === 'connect') await requireConnectUser(social.account, request)
  const { process, next, action, scope, authParams, query, headless = null } = start
  const state: SocialState = { process, next, action, headless, data: {} }
  const id = social.adapter.generateStateParam(state)
  const exchange = await provider.exchange()
  const begun = await exchange.begin(exchangeCall(social, request, provider), {
    state: id,
    action,
    scope,
    authParams,
    query,
  })
  const isNamed = provider.record.protocol !== 'oauth1' && begun.url.includes(id)
  storeHandshake(request, provider, { id: begun.state ?? id, isNamed, state, kept: begun.kept })
  // If another tab starts one at the same time, this commit fails and the request is retried.
  await request.session.commit()
  return begun.url
}

/** Returns the handshake that a callback belongs to. @throws {ProviderError} `unknown` if there is none (any more) */
async function requireHandshake(request: Visit, provider: Provider, params: URLSearchParams): Promise<Handshake> {
  const handshake = await lookUpHandshake(request, provider, params)
  if (handshake !== null) return handshake
  throw new ProviderError('unknown', 'no handshake with this provider is under way in this session')
}

async function lookUpHandshake(request: Visit, provider: Provider, params: URLSearchParams): Promise<Handshake | null> {
  switch (provider.record.protocol) {
    case 'oauth2':
    case 'oidc': {
      const id = params.get('state')
      return id === null ? null : findHandshake(request, provider, id)
    }
    case 'saml':
      return samlHandshake(request, provider, params)
    case 'oauth1':
    case 'openid2':
    case 'custom':
      return findHandshake(request, provider, params.get('state'))
  }
}

/** Returns the handshake of a SAML response. If the app allows it, an organization can start a login by itself. */
async function samlHandshake(request: Visit, provider: Provider, params: URLSearchParams): Promise<Handshake | null> {
  const { acceptsUnsolicited, samlInResponseTo } = await import('../saml/saml.ts')
  const id = samlInResponseTo(params.get('SAMLResponse') ?? '')
  if (id !== null) return findHandshake(request, provider, id)
  if (!acceptsUnsolicited(provider.app)) return null
  const state: SocialState = {
    process: 'login',
    next: params.get('RelayState'),
    action: 'authenticate',
    headless: null,
    data: {},
  }
  return { id: '', isNamed: true, app: '', user: null, state, kept: {}, atMs: request.nowMs }
}

/** Finishes a handshake: uses up its state, gets the identity from the provider, and completes the process. */
export async function finishHandshake(
  social: Social,
  request: Visit,
  provider: Provider,
  params: URLSearchParams,
): ReturnType<Social['finish']> {
  let handshake: Handshake
  try {
    handshake = await requireHandshake(request, provider, params)
  } catch (exception) {
    return { ...(await reportHandshakeFailure(social, request, provider, null, exception)), headless: null }
  }
  deleteHandshake(request, handshake)
  // Committed first, so that a repeated callback finds no handshake.
  await request.session.commit()
  const state = dropUnsafeNext(social.account, request, handshake.state)
  const headless = state.headless === null ? null : { ...state.headless, process: state.process }
  try {
    if (state.process === 'connect') {
      if (request.user?.id !== handshake.user) throw new AuthError('permission_denied')
      await requireConnectUser(social.account, request)
    }
    const exchange = await provider.exchange()
    const identity = await exchange.finish(exchangeCall(social, request, provider), { params, kept: handshake.kept })
    await recordTokenUse(request, provider, identity.replay ?? null)
    return { ...(await completeHandshake(social, request, provider, identity, state)), headless }
  } catch (exception) {
    if (exception instanceof ImmediateResponse || isConflict(exception)) throw exception
    return { ...(await reportHandshakeFailure(social, request, provider, state, exception)), headless }
  }
}

const dropUnsafeNext = (account: Account, request: Visit, state: SocialState): SocialState =>
  state.next === null || account.adapter.isSafeUrl(request, state.next) ? state : { ...state, next: null }

/** Continues with the identity that a provider returned. */
export async function completeHandshake(
  social: Social,
  request: Visit,
  provider: Provider,
  identity: ProviderIdentity,
  state: SocialState,
): Promise<SocialOutcome> {
  return decide(social, request, await createSocialLogin(social, request, provider, identity, state))
}

/**
 * Records a one-time proof until it expires.
 * @throws {ProviderError} `unknown` if it was used before
 */
export async function recordTokenUse(request: Visit, provider: Provider, replay: TokenReplay | null): Promise<void> {
  if (replay === null) return
  const { issuer, jti, expiresAtMs } = replay
  const mark = { payload: null, expiresAtMs }
  const isFirst = await request.kernel.artifacts.add(request.db, 'id_token', `${issuer}:${jti}`, mark, request.nowMs)
  if (!isFirst) throw new ProviderError('unknown', `what ${provider.id} has told was used before`)
}

/** Reports the failure to the hook and the log, without data from the provider or the visitor. */
async function reportHandshakeFailure(
  social: Social,
  request: Visit,
  provider: Provider,
  state: SocialState | null,
  exception: unknown,
): Promise<Extract<SocialOutcome, { kind: 'failed' }>> {
  const code = toHandshakeErrorCode(exception)
  const error: SocialAuthError = { provider, providerId: provider.id, code, exception, state }
  await social.adapter.onAuthenticationError(request, error)
  const fields = { provider: provider.id, code, error: exception }
  if (isExpected(exception)) social.kernel.log.warn('A sign-in at a provider did not work', fields)
  else social.kernel.log.error('A sign-in at a provider failed', fields)
  return { kind: 'failed', error }
}

const isExpected = (exception: unknown): boolean =>
  exception instanceof ProviderError || exception instanceof AuthError || exception instanceof InvalidInput

function toHandshakeErrorCode(exception: unknown): string {
  if (exception instanceof ProviderError || exception instanceof AuthError) return exception.code
  if (exception instanceof InvalidInput) return exception.errors[0]?.code || 'unknown'
  return 'unknown'
}

/** Session entry of the pending handshakes. */
const KEY = 'socialaccount_states'
/** Maximum number of pending handshakes, for example in other tabs. The oldest is dropped. */
const MAX_HANDSHAKES = 5
const LIFE_MS = 600_000

/** A pending handshake. */
interface Handshake {
  readonly id: string
  /** Whether the ID was sent to the provider, so that a callback without it doesn't match. */
  readonly isNamed: boolean
  /** Identifies the app, so that another provider's callback doesn't match (mix-up, RFC 9700 section 4.4). */
  readonly app: string
  /** The user who was signed in. */
  readonly user: UserId | null
  readonly state: SocialState
  /** Data of the exchange. */
  readonly kept: JsonObject
  readonly atMs: number
}

const appKey = ({ app }: Provider): string => JSON.stringify([app.provider, app.providerId, app.clientId])

function handshakes(request: Visit): readonly Handshake[] {
  const stored = request.session.get(KEY)
  const all = Array.isArray(stored) ? (stored as readonly Handshake[]) : [] // written only here; sessions are sealed
  return all.filter(({ atMs }) => request.nowMs - atMs < LIFE_MS)
}

/** Stores a handshake for the visitor's return. */
function storeHandshake(
  request: Visit,
  provider: Provider,
  begun: Pick<Handshake, 'id' | 'isNamed' | 'state' | 'kept'>,
): void {
  const handshake: Handshake = { ...begun, app: appKey(provider), user: request.user?.id ?? null, atMs: request.nowMs }
  const others = handshakes(request).filter(({ id }) => id !== begun.id)
  request.session.set(KEY, [...others, handshake].slice(-MAX_HANDSHAKES))
}

/**
 * Returns the handshake with this app that a visitor comes back from.
 * @param id The ID in the callback. `null` means the newest handshake of those that don't send their ID.
 */
function findHandshake(request: Visit, provider: Provider, id: string | null): Handshake | null {
  const own = handshakes(request).filter(({ app }) => app === appKey(provider))
  return own.findLast((handshake) => (id === null ? !handshake.isNamed : handshake.id === id)) ?? null
}

/** Removes a handshake. The caller commits the session. */
function deleteHandshake(request: Visit, { id }: Handshake): void {
  const others = handshakes(request).filter((other) => other.id !== id)
  if (others.length === 0) request.session.delete(KEY)
  else request.session.set(KEY, others)
}

/** Maximum attempts when another request links the account at the same moment. */
const ATTEMPTS = 3

/**
 * Completes the requested process (3.11.4 of the reference) now that the identity is known.
 * @throws {ImmediateResponse} of a hook or a receiver
 * @throws {AuthError} `login_required` if there is no signed-in user to connect the account to
 */
async function decide(social: Social, request: Visit, sociallogin: SocialLogin): Promise<SocialOutcome> {
  dropPendingSignup(request)
  await lookUp(social, request, sociallogin)
  const found = findExistingUser(sociallogin)
  await social.adapter.preSocialLogin(request, sociallogin)
  await social.signals.emit('pre_social_login', 'SocialLogin', { request, sociallogin })
  await social.signals.emit('social_login', 'SocialLogin', { request, sociallogin })
  // A hook has chosen the user, so the address doesn't matter.
  if (findExistingUser(sociallogin)?.id !== found?.id) sociallogin.authenticatedByEmail = null
  const { process, next } = sociallogin.state
  if (process === 'redirect') {
    const isSafe = next !== null && social.account.adapter.isSafeUrl(request, next)
    return { kind: 'redirect', redirectTo: isSafe ? next : '/' }
  }
  if (process === 'connect') {
    if (request.user === null) throw new AuthError('login_required')
    return connect(social, request, sociallogin, request.user)
  }
  await signOut(social.account, request)
  return logIn(social, request, sociallogin)
}

/** Signs out the current user, so that one session never belongs to two users. */
async function signOut(account: Account, request: Visit): Promise<void> {
  account.login.drop(request)
  const { user } = request
  if (user === null) return
  await account.adapter.logout(request)
  await account.signals.emit('user_logged_out', 'User', { request, user })
}

async function logIn(social: Social, request: Visit, sociallogin: SocialLogin): Promise<SocialOutcome> {
  for (let attempt = 1; ; attempt++) {
    try {
      const user = findExistingUser(sociallogin)
      if (user === null) return await signUp(social, request, sociallogin)
      return { kind: 'login', outcome: await acceptLogin(social, request, sociallogin, user) }
    } catch (error) {
      if (!(error instanceof AccountTaken) || attempt === ATTEMPTS) throw error
      await lookUp(social, request, sociallogin)
    }
  }
}
