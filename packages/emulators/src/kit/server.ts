import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Server } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { CONTROL_OPERATIONS } from './control.ts'
import { answerControl, isOwnOrigin, writeJson } from './http.ts'
import { removeSiblings, type PageInfo } from './page/page-info.ts'
import { answerPage, isPagePath } from './page/serve.ts'

/** Handlers of one emulator. */
interface EmulatorParts {
  /** A `PlatformControl`; options that arrive over HTTP are untyped. */
  readonly control: object
  /** Handles a request to the platform's API. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Returns `null` to accept a socket, or how to refuse it. Absent: the platform has no sockets. */
  admit?(request: IncomingMessage): SocketRefusal | null
  open?(socket: WebSocket, request: IncomingMessage): void
  /** Absent: no chat page. */
  readonly page?: PageInfo
}

/** HTTP response that refuses a socket. */
export interface SocketRefusal {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
}

/** A listening server. */
export interface EmulatorServer {
  /** Without a trailing slash. */
  readonly url: string
  /** The `ws:` form of `url`. */
  readonly wsUrl: string
  /** Closes every open connection except those of the control API and the page. */
  dropConnections(): void
  close(): Promise<void>
}

/** Starts a server on loopback. Port 0 picks a free port; rejects when the port is taken. */
export async function startServer(
  port: number,
  createParts: (server: EmulatorServer) => EmulatorParts,
): Promise<EmulatorServer> {
  const sockets = new Set<Duplex>()
  const server = createServer()
  const webSockets = new WebSocketServer({ noServer: true })
  // clients keep connections alive between calls; closing one early would look like a fault
  server.keepAliveTimeout = 120_000
  server.requestTimeout = 0
  await listen(server, port)
  const address = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  const self: EmulatorServer = {
    url: `http://127.0.0.1:${bound}`,
    wsUrl: `ws://127.0.0.1:${bound}`,
    dropConnections() {
      for (const socket of sockets) socket.destroy()
    },
    close: () =>
      new Promise((resolve) => {
        removeSiblings(self.url)
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  const parts = createParts(self)
  const keep = (socket: Duplex): void => {
    if (sockets.has(socket)) return
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  }
  server.on('request', (request, response) => {
    if (!isControlOrPagePath(request.url ?? '')) keep(request.socket)
    route(parts, request, response).catch((error: unknown) => sendCrashReply(response, error))
  })
  server.on('upgrade', (request, socket, head) => {
    keep(socket)
    const refusal = parts.open === undefined ? { status: 404 } : (parts.admit?.(request) ?? null)
    if (refusal !== null) return refuse(socket, refusal)
    webSockets.handleUpgrade(request, socket, head, (opened) => parts.open?.(opened, request))
  })
  return self
}

/** Whether a path belongs to the control API or the page, whose connections are never dropped. */
const isControlOrPagePath = (path: string): boolean => path.startsWith('/control/') || isPagePath(path)

async function route(parts: EmulatorParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (parts.page && isPagePath(request.url ?? '')) return answerPage(parts.page, request, response)
  if (!request.url?.startsWith('/control/')) return parts.handle(request, response)
  if (!isOwnOrigin(request)) return writeJson(response, 403, { ok: false, error: 'Cross-origin requests are refused' })
  return answerControl(parts.control, CONTROL_OPERATIONS, request, response)
}

function refuse(socket: Duplex, { status, headers = {} }: SocketRefusal): void {
  const lines = Object.entries({ connection: 'close', 'content-length': '0', ...headers }).map(([k, v]) => `${k}: ${v}`)
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join('\r\n')}\r\n\r\n`)
}

/** Listens on a port. Rejects when it is taken. */
export function listen(server: Server, port: number, host = '127.0.0.1'): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Prints a bug of the emulator itself to standard error. */
export function reportCrash(error: unknown): void {
  process.stderr.write(`emulator: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
}

/** Reports a bug of the emulator and answers the request with 500, in a form that no platform uses. */
export function sendCrashReply(response: ServerResponse, error: unknown): void {
  reportCrash(error)
  if (response.headersSent || response.destroyed) return void response.destroy()
  response.writeHead(500, { 'content-type': 'text/plain' }).end('The emulator failed; see its standard error.')
}
