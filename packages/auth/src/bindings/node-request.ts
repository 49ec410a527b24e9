import type { IncomingMessage, ServerResponse } from 'node:http'
import type { From } from '../account/guards.ts'

/** One request as Node's server has it, behind the frameworks that are made on it. */
export interface NodeVisit {
  /** A body parser may have left `body` on it. */
  readonly incoming: IncomingMessage & { readonly body?: unknown }
  readonly outgoing: ServerResponse
  /** As the client wrote it, with every prefix that a router has taken off since. */
  readonly target: string
}

/** Stands for a host that the client did not name: no server is known by it (RFC 6761). */
const NO_HOST = 'unknown.invalid'
/** What `fetch` refuses to have (Fetch standard, "forbidden method"). */
const FORBIDDEN_METHODS: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK'])

/** Returns the socket's remote address; forwarded headers are evaluated only by `fetch`. */
export const nodePeer = ({ socket }: IncomingMessage): From => ({ remoteAddress: socket.remoteAddress ?? null })

/** Address of a request; of an absolute target (RFC 9112 section 3.2.2) path and query. Never another host's. */
export function parseNodeUrl({ incoming, target }: Pick<NodeVisit, 'incoming' | 'target'>): URL {
  const scheme = 'encrypted' in incoming.socket ? 'https' : 'http'
  const host = readHost(incoming) ?? ''
  const authority = /^[^\s/?#@\\]+$/.test(host) && URL.canParse(`${scheme}://${host}/`) ? host : NO_HOST
  return new URL(`${scheme}://${authority}${parseRequestTarget(target)}`)
}

function parseRequestTarget(target: string): string {
  if (target.startsWith('/')) return target
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return '/'
  const { pathname, search } = new URL(target)
  return `${pathname}${search}`
}

/** HTTP/2 names it in a field of its own (RFC 9113 section 8.3.1). */
const readHost = ({ headers }: IncomingMessage): string | undefined => {
  const authority = headers[':authority']
  return headers.host ?? (typeof authority === 'string' ? authority : undefined)
}

/** Converts the request without its body, which stays readable for the host. Returns a `Response` if it is malformed. */
export function toRequestHead(visit: NodeVisit): Request | Response {
  return toFetchRequest(visit, { headers: toFetchHeaders(visit.incoming) })
}

/**
 * Converts the whole request. The body streams from the socket, or comes from the host's body parser; the signal
 * aborts when the client disconnects. Returns a `Response` if the request is malformed.
 * @throws {Error} if something has consumed the body: the host's middleware is in the wrong order
 */
export function toWebRequest(visit: NodeVisit): Request | Response {
  const { incoming, outgoing } = visit
  const headers = toFetchHeaders(incoming)
  const leaving = new AbortController()
  outgoing.once('close', () => {
    if (!outgoing.writableEnded) leaving.abort()
  })
  const init = { headers, signal: leaving.signal }
  if (incoming.method === 'GET' || incoming.method === 'HEAD') return toFetchRequest(visit, init)
  if (!incoming.readableDidRead) {
    const streamed = { ...init, body: requestBody(incoming, outgoing), duplex: 'half' } as const
    return toFetchRequest(visit, streamed)
  }
  const parsed = readParsedBody(incoming.body, headers.get('content-type') ?? '')
  if (parsed === 'unreadable') return errorResponseFor(400)
  if (parsed === null) {
    throw new Error('The body of the request was read before the accounts got it, and is not in `body`.')
  }
  headers.delete('content-length')
  headers.delete('content-encoding')
  headers.delete('transfer-encoding')
  headers.set('content-type', parsed.contentType)
  return toFetchRequest(visit, { ...init, body: parsed.body })
}

function toFetchRequest(visit: NodeVisit, init: RequestInit): Request | Response {
  const method = visit.incoming.method ?? 'GET'
  if (FORBIDDEN_METHODS.has(method.toUpperCase())) return errorResponseFor(405)
  return new Request(parseNodeUrl(visit), { ...init, method, redirect: 'manual' })
}

function toFetchHeaders(incoming: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (name.startsWith(':')) continue
    for (const each of Array.isArray(value) ? value : [value]) if (each !== undefined) headers.append(name, each)
  }
  const host = readHost(incoming)
  if (host !== undefined) headers.set('host', host)
  return headers
}

const errorResponseFor = (status: 400 | 405): Response =>
  new Response(status === 400 ? 'The request cannot be read.' : "This URL doesn't support this method.", {
    status,
    headers: { 'cache-control': 'no-store', 'content-type': 'text/plain; charset=utf-8' },
  })

/** A body as it could have come over the wire. */
interface ParsedBody {
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly contentType: string
}

const FORM = 'application/x-www-form-urlencoded'

/**
 * Serializes a parsed body again.
 * @param contentType Of the request: determines the parser.
 * @returns `null` without a body; `unreadable` if it can't be serialized
 */
function readParsedBody(parsed: unknown, contentType: string): ParsedBody | 'unreadable' | null {
  if (parsed === undefined) return null
  if (typeof parsed === 'string') return { body: parsed, contentType }
  if (parsed instanceof Uint8Array) return { body: new Uint8Array(parsed), contentType }
  try {
    if (/\bjson\b/i.test(contentType)) return { body: JSON.stringify(parsed), contentType }
    return { body: new URLSearchParams(toFormEntries(parsed)).toString(), contentType: FORM }
  } catch (error) {
    // Nested more deeply than the stack reaches.
    if (error instanceof RangeError) return 'unreadable'
    throw error
  }
}

const toFormEntries = (parsed: unknown): string[][] =>
  typeof parsed === 'object' && parsed !== null
    ? Object.entries(parsed).flatMap(([key, value]) => field(key, value))
    : []

/** `a=1&a=2` for a list, `a[b]=1` for what is nested. */
function field(name: string, value: unknown): string[][] {
  if (typeof value === 'string') return [[name, value]]
  if (typeof value === 'number' || typeof value === 'boolean') return [[name, String(value)]]
  if (Array.isArray(value)) return value.flatMap((each) => field(name, each))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => field(`${name}[${key}]`, inner))
}

/**
 * The body of a request, read from the socket only as fast as it is taken. When nobody wants the rest, or the answer is
 * out, the rest is thrown away as it comes: so the client gets to read the answer, and the connection stays good.
 */
export function requestBody(incoming: IncomingMessage, outgoing: ServerResponse): ReadableStream<Uint8Array> {
  let over = false
  const discard = (): void => {
    over = true
    incoming.resume()
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const end = (error?: Error): void => {
          if (over) return
          over = true
          if (error === undefined) controller.close()
          else controller.error(error)
        }
        const gone = (): void => end(new Error('The client went away.'))
        if (incoming.destroyed) return gone()
        incoming.pause()
        incoming.on('data', (chunk: Uint8Array) => {
          if (over) return
          incoming.pause()
          controller.enqueue(chunk)
        })
        incoming.once('end', () => end())
        incoming.once('error', end)
        incoming.once('close', gone)
        outgoing.once('close', discard)
      },
      pull() {
        incoming.resume()
      },
      cancel: discard,
    },
    { highWaterMark: 0 },
  )
}
