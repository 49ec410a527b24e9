import { AsyncLocalStorage } from 'node:async_hooks'
import type Provider from 'oidc-provider'
import type { PageRequest } from '../../kernel/http/page-request.ts'
import type { User } from '../../kernel/users/user.ts'
import type { OidcClient } from '../clients.ts'
import type { KeyRing } from '../signing-keys.ts'
import type { SignedIn } from './session.ts'

/** What the protocol library is given of a call. */
interface Bridged {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: Uint8Array<ArrayBuffer> | null
  readonly ip: string | null
}

/** Answers a call by the library, which knows requests and responses of Node alone; no socket is needed. */
export async function callLibrary(library: Library, provider: Provider, call: Bridged): Promise<Response> {
  const { url, method, headers, body, ip } = call
  const { req, res } = library.toReqRes(new Request(url, { method, headers, body }))
  req.headers['host'] = url.host
  if (body !== null) req.headers['content-length'] = String(body.byteLength)
  const socket = { encrypted: url.protocol === 'https:', remoteAddress: ip ?? '' }
  Object.defineProperty(req, 'socket', { value: socket })
  const answer = library.toFetchResponse(res)
  await provider.callback()(req, res)
  return stripTransportHeaders(await answer)
}

/** Hop-by-hop headers of a connection that doesn't exist, and CORS headers, which this engine sets. */
const TRANSPORT = /^(connection|content-length|date|keep-alive|transfer-encoding|vary|access-control-.*)$/

function stripTransportHeaders(response: Response): Response {
  const names = [...response.headers.keys()].filter((name) => TRANSPORT.test(name))
  for (const name of names) response.headers.delete(name)
  return response
}

/** What the hooks of the protocol library need to know of the call that it is answering. */
export interface LibraryCall {
  /** Of a browser; `null` for calls of clients. */
  readonly request: PageRequest | null
  /** The signed-in user, as this client sees them. */
  readonly who: SignedIn | null
  /** What was proved of them. */
  readonly proof: string | null
  readonly ring: KeyRing
  /** Scopes of the request as they came: the library forgets those that it does not know. */
  readonly scope: string | null
  /** The client whose secret came, and was right; the library reads the call once more, so it must find the same. */
  readonly verified: { readonly id: string; readonly secret: string } | null
  /** Users that were looked up, by client and sub. */
  readonly users: Map<string, User>
  /** Clients that were looked up. */
  readonly clients: Map<string, OidcClient>
  /** Access tokens in the format jwt, by their `jti`. */
  readonly signed: Map<string, string>
  /** What a person is shown in place of an answer to the client. */
  refusal: { readonly code: string; readonly status: number } | null
}

/** Returns the key of a client's `sub`, which another client may have for another user. */
export const userKey = (clientId: string, sub: string): string => `${clientId} ${sub}`

const visits = new AsyncLocalStorage<LibraryCall>()

/** Runs the protocol library for one call. */
export const runLibraryCall = <R>(visit: LibraryCall, work: () => Promise<R>): Promise<R> => visits.run(visit, work)

/** The call under way. @throws {Error} outside of one: a fault of ours */
export function currentLibraryCall(): LibraryCall {
  const visit = visits.getStore()
  if (visit === undefined) throw new Error('the protocol library is used outside of a call')
  return visit
}

/** The protocol library: 47 MB, loaded with the first call that needs it, by this file alone. */
export async function openLibrary() {
  const { Provider } = await import('oidc-provider/lib/provider.js')
  const errors = await import('oidc-provider/lib/helpers/errors.js')
  const { base } = await import('oidc-provider/lib/helpers/interaction_policy/index.js')
  const { toFetchResponse, toReqRes } = await import('fetch-to-node')
  return { Provider, errors, basePolicy: base, toFetchResponse, toReqRes }
}

/** What the loaded library has. */
export type Library = Awaited<ReturnType<typeof openLibrary>>
