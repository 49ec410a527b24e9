import { reachableUrl } from '../config/public-url.ts'
import { StartError, GATEWAY_ERRORS } from './errors.ts'
import type { AppEnv } from './app-options.ts'
import type { Log } from '@gatepost/channels'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import { createServer, type Server } from 'node:http'

/** A listening HTTP server. */
export interface HttpServer {
  /** `http://host:port`, with a host that is reachable from this machine. */
  readonly url: string
  readonly port: number
  /** Stops accepting connections, waits for running requests, and closes the rest after `withinMs`. */
  close(withinMs: number): Promise<void>
}

/** Starts the HTTP server. @throws {StartError} if the address isn't available */
export async function listen(app: Hono<AppEnv>, where: { host: string; port: number }, log: Log): Promise<HttpServer> {
  const listener = getRequestListener(app.fetch, {
    // Only for requests without a valid URL; the app handles all others.
    errorHandler: () => new Response(BAD_REQUEST_BODY, { status: 400, headers: BAD_REQUEST_HEADERS }),
  })
  const server = createServer(
    // Node's response to a request without a host has no body.
    { requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 65_000, requireHostHeader: false },
    (request, response) => void listener(request, response),
  )
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const head = Object.entries({ ...BAD_REQUEST_HEADERS, connection: 'close' }).map(
      ([name, text]) => `${name}: ${text}`,
    )
    const size = `content-length: ${Buffer.byteLength(BAD_REQUEST_BODY)}`
    socket.end(['HTTP/1.1 400 Bad Request', ...head, size, '', BAD_REQUEST_BODY].join('\r\n'))
  })
  const port = await startListening(server, where)
  server.on('error', (error) => log.error('The HTTP server failed', { error }))
  return { url: reachableUrl(where.host, port), port, close: (withinMs) => stopListening(server, withinMs) }
}

const BAD_REQUEST_BODY = JSON.stringify({ ok: false, error: GATEWAY_ERRORS.bad_request.message, code: 'bad_request' })
const BAD_REQUEST_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is already in use. Stop the other program, or set GATEPOST_PORT to another port',
  EACCES: 'is not allowed for this user. Set GATEPOST_PORT to a port above 1023',
  EADDRNOTAVAIL: 'is not an address of this machine. Check GATEPOST_HOST',
  ENOTFOUND: 'has an unknown host. Check GATEPOST_HOST',
  EAI_AGAIN: 'has a host that could not be resolved. Check GATEPOST_HOST',
}

function startListening(server: Server, { host, port }: { host: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: Error & { code?: string }) => {
      const reason = REASONS[error.code ?? ''] ?? `is not available (${error.code ?? 'unknown reason'})`
      reject(new StartError(`${reachableUrl(host, port)} ${reason}.`, { cause: error }))
    })
    server.listen(port, host, () => {
      server.removeAllListeners('error')
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

async function stopListening(server: Server, withinMs: number): Promise<void> {
  const late = setTimeout(() => server.closeAllConnections(), withinMs)
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })
  clearTimeout(late)
}
