import type { Account } from '../../account/account.ts'
import { AuthError } from '../../errors.ts'
import { type CookieAttributes, expireCookie, readCookie, setCookie } from '../../kernel/http/cookies.ts'
import { ownResponse } from '../../kernel/http/responses.ts'
import type { PageAnswer } from '../../kernel/http/route.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Visit } from '../../kernel/visit.ts'
import { ProviderError } from '../exchange.ts'
import type { Provider } from '../provider.ts'
import { exchangeCall, recordTokenUse } from '../login/handshake.ts'
import { PROVIDER_ENTRIES } from '../registry/provider-entries.ts'
import type { CheckedLogoutRequest, SamlMessage } from '../saml/logout.ts'
import { isOfApp, samlSession, matchesSubject, type SamlSession } from '../saml/subject.ts'
import type { Social } from '../social-accounts.ts'
import { loadPageProvider, type PathParams } from './provider-of.ts'
import { respondWithProviderUrl } from './start.ts'

/** Name of the page that receives single logout messages. */
export const SLS = 'saml_sls'

const redirect = (to: string): PageAnswer => ({ kind: 'redirect', to })

/** Returns a plain text response. */
export const plainText = (text: string, status: number): PageAnswer => ({
  kind: 'response',
  response: ownResponse(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } }),
})

/** Returns the provider of the organization in the path. @throws {AuthError} `not_found` */
export async function loadOrganization(social: Social, request: Visit, params: PathParams): Promise<Provider> {
  const entry = PROVIDER_ENTRIES.find(({ protocol }) => protocol === 'saml')
  if (entry === undefined) throw new AuthError('not_found')
  return loadPageProvider(social, request, entry, params)
}

const toOrganizationParams = ({ app }: { readonly app: { readonly clientId: string } }): PathParams => ({
  organization_slug: app.clientId,
})

/** Returns the cookie that this browser must present with the reply to a logout request. */
const logoutHandover = (kernel: Kernel, of: { readonly app: { readonly clientId: string } }): Handover => ({
  cookie: 'saml-logout',
  finishPath: kernel.url(SLS, toOrganizationParams(of)),
})

/**
 * Signs out a visitor who signed in through an organization, and redirects to the organization to end its own session
 * before `next`. Returns `null` for other visitors.
 * @see Profiles for SAML 2.0, section 4.4.3.1
 */
export async function logOutWithOrganization(social: Social, request: Visit, next: string): Promise<PageAnswer | null> {
  const { user } = request
  const session = samlSession(request)
  if (session === null) return null
  await social.account.login.logout(request, { silent: true })
  // Committed first: the session here has ended, whatever happens next.
  await request.session.commit()
  const onward = await redirectToOrganization(social, request, session, next)
  if (onward !== null) return onward
  await social.account.adapter.addMessage(request, 'success', 'account/messages/logged_out', { user })
  return redirect(next)
}

/** Returns the redirect that requests logout at the organization, or `null` if that's unnecessary or impossible. */
async function redirectToOrganization(
  social: Social,
  request: Visit,
  session: SamlSession,
  next: string,
): Promise<PageAnswer | null> {
  if (!social.kernel.has(SLS)) return null
  try {
    const provider = await loadOrganization(social, request, toOrganizationParams(session))
    if (!isOfApp(session, provider.app)) return null
    const { samlLogoutRequest } = await import('../saml/saml.ts')
    const begun = await samlLogoutRequest(exchangeCall(social, request, provider), session.subject)
    if (begun === null) return null
    await handOver(request, logoutHandover(social.kernel, provider), Object.entries({ request: begun.id, next }))
    return respondWithProviderUrl(request, provider, begun.url)
  } catch (error) {
    const isGone = error instanceof AuthError && error.code === 'not_found'
    if (!isGone && !(error instanceof ProviderError)) throw error
    social.kernel.log.warn('An organization cannot be notified of a sign-out', {
      app: session.app.clientId,
      reason: error.message,
    })
    return null
  }
}

/** Handles a single logout message; responds 400 without any effect if it is invalid. */
export async function answerLogout(
  social: Social,
  request: Visit,
  provider: Provider,
  given: SamlMessage,
): Promise<PageAnswer> {
  const { samlLogout } = await import('../saml/saml.ts')
  try {
    const message = await samlLogout(exchangeCall(social, request, provider), given)
    return message.kind === 'request'
      ? await endRequestedSession(social, request, provider, message)
      : await finishSamlLogout(social.account, request, provider, message)
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    social.kernel.log.warn('A SAML logout was refused', { app: provider.app.clientId, reason: error.message })
    return plainText(request.t("This sign-out request isn't valid."), 400)
  }
}

/** Ends this browser's session if the organization's request matches it. @throws {ProviderError} `unknown` */
async function endRequestedSession(
  social: Social,
  request: Visit,
  provider: Provider,
  message: CheckedLogoutRequest,
): Promise<PageAnswer> {
  const session = samlSession(request)
  const isMeant =
    session !== null &&
    isOfApp(session, provider.app) &&
    matchesSubject(message.subject, session.subject, message.parties)
  if (isMeant) {
    await request.transaction(async () => {
      await recordTokenUse(request, provider, message.replay)
      await social.account.login.logout(request)
      await request.session.commit()
    })
  }
  const { samlLogoutResponse } = await import('../saml/saml.ts')
  const result = isMeant ? 'ended' : 'unknown'
  // The provider's URL comes from the app's settings or its metadata, so the redirect is trusted.
  const onward = await samlLogoutResponse(exchangeCall(social, request, provider), message, result)
  if (onward !== null) return redirect(onward)
  if (!isMeant) throw new ProviderError('unknown', 'SAML: it is not about the session of this browser')
  return redirect(social.account.adapter.getLogoutRedirectUrl(request))
}

/**
 * Handles the organization's reply to our request. The session here has already ended.
 * @throws {ProviderError} `unknown`
 */
async function finishSamlLogout(
  account: Account,
  request: Visit,
  provider: Provider,
  { inResponseTo, success }: { readonly inResponseTo: string; readonly success: boolean },
): Promise<PageAnswer> {
  const begun = await takeOver(request, logoutHandover(account.kernel, provider))
  if (begun === null || begun.params.get('request') !== inResponseTo) {
    throw new ProviderError('unknown', 'SAML: it answers no request of this browser')
  }
  await begun.forget()
  if (!success) account.kernel.log.warn('An organization has not signed out everywhere', { app: provider.app.clientId })
  if (request.user === null) {
    await account.adapter.addMessage(request, 'success', 'account/messages/logged_out', { user: null })
  }
  return redirect(begun.params.get('next') ?? account.adapter.getLogoutRedirectUrl(request))
}

/** Keeps a provider's POST for a later request with the visitor's session, which another site's form doesn't send. */
export interface Handover {
  /** Name of the cookie. */
  readonly cookie: string
  /** Path of the page that continues; only this page gets the cookie. */
  readonly finishPath: string
}

const KIND = 'provider_post'
const LIFE_MS = 300_000
const ID_BYTES = 24

/** Stores the posted fields, or `params` instead, for the finish page. */
export async function handOver(
  request: Visit,
  { cookie, finishPath }: Handover,
  params: Iterable<readonly [string, string]> = request.form,
): Promise<void> {
  const id = request.kernel.random(ID_BYTES).toString('base64url')
  await request.kernel.artifacts.put(request.db, KIND, id, {
    payload: { finishPath, params: [...params] },
    expiresAtMs: request.nowMs + LIFE_MS,
  })
  request.setCookies.push(setCookie(cookie, id, attributes(request.kernel, finishPath)))
}

/** Returns the posted parameters, or `null` if nothing is pending for this visitor. Call `forget` when done. */
export async function takeOver(
  request: Visit,
  { cookie, finishPath }: Handover,
): Promise<{ readonly params: URLSearchParams; forget(): Promise<void> } | null> {
  const id = readCookie(request.raw.headers.get('cookie'), cookie)
  if (id === null || id === '') return null
  // Not removed yet, because a request that is retried after a session conflict must find it again.
  const found = await request.kernel.artifacts.get(request.db, KIND, id, request.nowMs)
  const params = found === null ? null : readHandedOverParams(found.payload, finishPath)
  if (params === null) return null
  return {
    params,
    async forget() {
      await request.kernel.artifacts.remove(request.db, KIND, id)
      request.setCookies.push(expireCookie(cookie, attributes(request.kernel, finishPath)))
    },
  }
}

function readHandedOverParams(payload: unknown, finishPath: string): URLSearchParams | null {
  const kept = payload as { readonly finishPath: string; readonly params: [string, string][] } // from `handOver`
  return kept.finishPath === finishPath ? new URLSearchParams(kept.params) : null
}

/** Returns the cookie's attributes. Never strict, because the next request comes from another site. */
const attributes = ({ settings }: Pick<Kernel, 'settings'>, path: string): CookieAttributes => ({
  path,
  domain: null,
  secure: settings.sessionCookieSecure,
  httpOnly: true,
  sameSite: settings.sessionCookieSamesite === 'None' ? 'None' : 'Lax',
  maxAge: null,
})
