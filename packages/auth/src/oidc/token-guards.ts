import { AuthError } from '../errors.ts'
import { readCredential } from '../kernel/http/authorization.ts'
import { jsonResponse } from '../kernel/http/json-response.ts'
import type { VisitorUrls } from '../kernel/http/visitor-url.ts'
import type { CheckedToken, OidcTokens } from './clients.ts'
import {
  type AudienceOptions,
  isForResource,
  metadataUrl,
  type ProtectedResource,
  resourceMetadata,
} from './protected-resource.ts'
import { allowsScope, neededScopes, type TokenScope } from './token-scopes.ts'

/** What a guard lets through, or the answer to give instead. */
export type GuardedToken =
  | { readonly ok: true; readonly token: CheckedToken }
  | { readonly ok: false; readonly response: Response }

/** How an API of the host's own takes access tokens. */
export interface TokenGuardOptions extends AudienceOptions {
  /** In challenges; default: the host. */
  readonly realm?: string
}

/** Who may call an API of the host's own with an access token of our OpenID Connect provider. */
export interface TokenGuards {
  /**
   * The token of the `Authorization` header, with its client and its user: one that is live, of an active user or of a
   * client alone, for this API and with these scopes. Others get 401 or 403 with a challenge, in JSON.
   * @see RFC 6750 section 3
   */
  requireToken(request: Request, scope: TokenScope, options?: TokenGuardOptions): Promise<GuardedToken>
  /**
   * What a host answers at `/.well-known/oauth-protected-resource` with the path of the API behind it, so that programs
   * find out by themselves where to ask for tokens. @see RFC 9728 section 3
   */
  protectedResourceMetadata(request: Request, resource: ProtectedResource): Response
}

/** What guards use of the provider. */
export interface GuardedProvider {
  readonly tokens: OidcTokens
  issuer(url: URL): string
}

/** @param locate Finds the address that the caller sees. */
export const createTokenGuards = (oidc: GuardedProvider, locate: VisitorUrls): TokenGuards => ({
  async requireToken(request, scope, options = {}) {
    const url = locateRequest(locate, request)
    if (url instanceof Response) return { ok: false, response: url }
    const needed = neededScopes(scope, request.method)
    const refuse = (refusal: Refusal): GuardedToken => rejectToken(refusal, { url, needed, options })
    const credential = readCredential(request, 'Bearer')
    if (credential === null) return refuse('token_missing')
    const token = await oidc.tokens.check(credential)
    if (token === null || !isForResource(token.audience, url, options)) return refuse('invalid_token')
    return allowsScope(scope, request.method, token.scopes) ? { ok: true, token } : refuse('insufficient_scope')
  },
  protectedResourceMetadata(request, resource) {
    const url = locateRequest(locate, request)
    return url instanceof Response ? url : resourceMetadata(oidc.issuer(url), resource)
  },
})

/** Where the request goes to, or the answer to who names a host that is not ours. */
function locateRequest(locate: VisitorUrls, request: Request): URL | Response {
  try {
    return locate(request)
  } catch (error) {
    if (!(error instanceof AuthError) || error.status >= 500) throw error
    return jsonResponse({ code: error.code, message: error.message }, error.status)
  }
}

type Refusal = 'token_missing' | 'invalid_token' | 'insufficient_scope'

const REFUSALS: Readonly<Record<Refusal, { readonly status: 401 | 403; readonly text: string }>> = {
  token_missing: { status: 401, text: 'Send an access token: Authorization: Bearer …' },
  invalid_token: { status: 401, text: 'The access token is not valid, or no longer.' },
  insufficient_scope: { status: 403, text: 'The access token does not allow this.' },
}

interface Asked {
  readonly url: URL
  readonly needed: readonly string[]
  readonly options: TokenGuardOptions
}

/** Without a token the challenge names no error. @see RFC 6750 section 3.1, RFC 9728 section 5.1 */
function rejectToken(code: Refusal, { url, needed, options }: Asked): GuardedToken {
  const { status, text } = REFUSALS[code]
  const members = [
    ['realm', options.realm ?? url.host],
    ...(code === 'token_missing' ? [] : [['error', code]]),
    ...(needed.length === 0 ? [] : [['scope', needed.join(' ')]]),
    ...(options.resource === undefined ? [] : [['resource_metadata', metadataUrl(options.resource)]]),
  ]
  const response = jsonResponse({ code, message: text }, status)
  const challenge = members.map(([name, value]) => `${name}="${quoteChallengeText(String(value))}"`).join(', ')
  response.headers.set('www-authenticate', `Bearer ${challenge}`)
  response.headers.set('cache-control', 'no-store')
  return { ok: false, response }
}

/** @see RFC 9110 section 5.6.4 */
const quoteChallengeText = (text: string): string => text.replaceAll(/[^ -~]/g, '?').replaceAll(/["\\]/g, '\\$&')
