import { AsyncLocalStorage } from 'node:async_hooks'
import type Provider from 'oidc-provider'
import type { PageRequest } from '../../kernel/http/page-request.ts'
import type { User } from '../../kernel/users/user.ts'
import type { OidcClient } from '../clients.ts'
import type { KeyRing } from '../signing-keys.ts'
import type { SignedIn } from './session.ts'

/** A request for the protocol library. */
interface Bridged {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: Uint8Array<ArrayBuffer> | null
  readonly ip: string | null
}

/**
 * Passes a request to the library and returns its response. Converts them to and from Node's types, without a socket.
 */
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

/** The context of a call of the protocol library, for its hooks. */
export interface LibraryCall {
  /** The browser's request; `null` for a client's. */
  readonly request: PageRequest | null
  /** The signed-in user, as this client sees them. */
  readonly who: SignedIn | null
  /** A fingerprint of their authentication. */
  readonly proof: string | null
  readonly ring: KeyRing
  /** The requested scopes, unfiltered, because the library drops those it doesn't know. */
  readonly scope: string | null
  /** The client whose secret was verified. The library parses the credentials again and must find the same ones. */
  readonly verified: { readonly id: string; readonly secret: string } | null
  /** Users looked up during the call, by client and subject. */
  readonly users: Map<string, User>
  /** Clients looked up during the call, by ID. */
  readonly clients: Map<string, OidcClient>
  /** Access tokens in JWT format, by `jti`. */
  readonly signed: Map<string, string>
  /** The error to show to the visitor instead of responding to the client. */
  refusal: { readonly code: string; readonly status: number } | null
}

/** Returns the key for a client's subject. Two clients can use the same subject for different users. */
export const userKey = (clientId: string, sub: string): string => `${clientId} ${sub}`

const calls = new AsyncLocalStorage<LibraryCall>()

/** Runs the protocol library for one call. */
export const runLibraryCall = <R>(call: LibraryCall, work: () => Promise<R>): Promise<R> => calls.run(call, work)

/** Returns the current call. @throws {Error} outside of a call, which is a bug */
export function currentLibraryCall(): LibraryCall {
  const call = calls.getStore()
  if (call === undefined) throw new Error('the protocol library was used outside of a call')
  return call
}

/** Loads the protocol library, which takes 47 MB, when it's first needed. No other file loads it. */
export async function openLibrary() {
  const { Provider } = await import('oidc-provider/lib/provider.js')
  const errors = await import('oidc-provider/lib/helpers/errors.js')
  const { base } = await import('oidc-provider/lib/helpers/interaction_policy/index.js')
  const { toFetchResponse, toReqRes } = await import('fetch-to-node')
  return { Provider, errors, basePolicy: base, toFetchResponse, toReqRes }
}

/** The loaded library. */
export type Library = Awaited<ReturnType<typeof openLibrary>>
