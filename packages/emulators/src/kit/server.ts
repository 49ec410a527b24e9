import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Server } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { CONTROL_OPERATIONS } from './control.ts'
import { answerControl, isOwnOrigin, writeJson } from './http.ts'
import { forgetSiblings, type PageInfo } from './page/page-info.ts'
import { answerPage, isPagePath } from './page/serve.ts'

/** What an emulator is: its wire and its control. */
interface EmulatorParts {
  /** A `PlatformControl` of any faults: what comes over HTTP is not typed. */
  readonly control: object
  /** A request that is neither for the control nor for the page. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Whether a socket is let in: `null`, or the answer that refuses it. Absent: the platform has no sockets. */
  admit?(request: IncomingMessage): SocketRefusal | null
  open?(socket: WebSocket, request: IncomingMessage): void
  /** Absent: there is no page for people. */
  readonly page?: PageInfo
}

export interface SocketRefusal {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
}

export interface EmulatorServer {
  /** Without a trailing slash. */
  readonly url: string
  /** The same for sockets. */
  readonly wsUrl: string
  /** Closes every connection that is open now but those of the control. */
  dropConnections(): void
  close(): Promise<void>
}

/** @param port 0: any free one. Rejects when it is taken. */
export async function startServer(
  port: number,
  partsOf: (server: EmulatorServer) => EmulatorParts,
): Promise<EmulatorServer> {
  const sockets = new Set<Duplex>()
  const server = createServer()
  const webSockets = new WebSocketServer({ noServer: true })
  // a client keeps its connections open between calls; closing them early would look like a fault
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
        forgetSiblings(self.url)
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  const parts = partsOf(self)
  const keep = (socket: Duplex): void => {
    if (sockets.has(socket)) return
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  }
  server.on('request', (request, response) => {
    if (!isOwn(request.url ?? '')) keep(request.socket)
    route(parts, request, response).catch((error: unknown) => answerCrash(response, error))
  })
  server.on('upgrade', (request, socket, head) => {
    keep(socket)
    const refusal = parts.open === undefined ? { status: 404 } : (parts.admit?.(request) ?? null)
    if (refusal !== null) return refuse(socket, refusal)
    webSockets.handleUpgrade(request, socket, head, (opened) => parts.open?.(opened, request))
  })
  return self
}

/** Whether it is for the control or the page, which stay when connections are dropped. */
const isOwn = (path: string): boolean => path.startsWith('/control/') || isPagePath(path)

async function route(parts: EmulatorParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (parts.page && isPagePath(request.url ?? '')) return answerPage(parts.page, request, response)
  if (!request.url?.startsWith('/control/')) return parts.handle(request, response)
  if (!isOwnOrigin(request))
    return writeJson(response, 403, { ok: false, error: 'Requests of other sites are refused' })
  return answerControl(parts.control, CONTROL_OPERATIONS, request, response)
}

function refuse(socket: Duplex, { status, headers = {} }: SocketRefusal): void {
  const lines = Object.entries({ connection: 'close', 'content-length': '0', ...headers }).map(([k, v]) => `${k}: ${v}`)
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join('\r\n')}\r\n\r\n`)
}

/** Rejects when the port is taken. */
export function listen(server: Server, port: number, host = '127.0.0.1'): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** A fault of the emulator itself must be seen. */
export function tellCrash(error: unknown): void {
  process.stderr.write(`emulator: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
}

/** Nor may it be taken for one of the platform. */
export function answerCrash(response: ServerResponse, error: unknown): void {
  tellCrash(error)
  if (response.headersSent || response.destroyed) return void response.destroy()
  response.writeHead(500, { 'content-type': 'text/plain' }).end('The emulator itself failed; see its standard error.')
}
