import type Provider from 'oidc-provider'
import type { Library } from './library.ts'

/** What the protocol library is given of a call. */
export interface Bridged {
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
