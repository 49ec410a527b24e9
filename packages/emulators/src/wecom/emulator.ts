import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import { PAGE_INFOS } from '../kit/page/page-info.ts'
import { type EmulatorClock, systemClock } from '../kit/clock.ts'
import type { PlatformControl } from '../kit/control.ts'
import { startServer, reportCrash, type SocketRefusal } from '../kit/server.ts'
import { createControl } from './control.ts'
import type { WecomFault } from './faults.ts'
import { handleFrame } from './frames.ts'
import { answerHttp } from './http.ts'
import { REAL_TIMES, WecomState, type WecomTimes } from './state.ts'

/** Options, and times that tests can shorten. */
export interface WecomEmulatorOptions extends Partial<WecomTimes> {
  /** Default 0: a free port. */
  readonly port?: number
  readonly clock?: EmulatorClock
  /** Number of requests, messages and events to keep. Default 10,000. */
  readonly history?: number
  /** Ids are numbered from above this, so that a restarted emulator doesn't reuse them. Default 0. */
  readonly idsAbove?: number
}

/** A running emulator. */
export interface WecomEmulator {
  /** Replaces https://work.weixin.qq.com (QR codes) and https://qyapi.weixin.qq.com (signed probe). */
  readonly url: string
  /** Replaces wss://openws.work.weixin.qq.com. */
  readonly wsUrl: string
  readonly control: PlatformControl<WecomFault>
  close(): Promise<void>
}

/** Starts an emulator of WeCom smart bots with one bot. Rejects when the port is taken. */
export async function startWecomEmulator(options: WecomEmulatorOptions = {}): Promise<WecomEmulator> {
  const { port = 0, clock = systemClock, history = 10_000, idsAbove = 0, ...times } = options
  const state = new WecomState(clock, history, { ...REAL_TIMES, ...times }, idsAbove)
  const server = await startServer(port, (self) => ({
    control: createControl(state, self),
    page: PAGE_INFOS.wecom,
    handle: (request, response) => answerHttp(state, self.url, request, response),
    admit: (request) => admit(state, request),
    open: (socket) => open(state, socket),
  }))
  return { url: server.url, wsUrl: server.wsUrl, control: createControl(state, server), close: server.close }
}

function admit(state: WecomState, request: IncomingMessage): SocketRefusal | null {
  const record = state.chatStore.recordRequest({
    method: 'connect',
    target: `GET ${request.url}`,
    headers: request.headers,
    body: '',
  })
  const kinds: ReadonlySet<string> = new Set(['bad_gateway', 'server_error'])
  const fault = state.faults.take('connect', undefined, ({ kind }) => kinds.has(kind))
  const status = fault === null ? 101 : fault.kind === 'server_error' ? fault.status : 502
  record(status)
  return fault === null ? null : { status }
}

function open(state: WecomState, socket: WebSocket): void {
  const connection = { socket, gone: new AbortController() }
  socket.on('error', () => socket.terminate())
  socket.on('close', () => {
    connection.gone.abort()
    if (state.live === connection) state.live = null
  })
  // accepted, but its frames are ignored
  if (state.faults.take('connect', undefined, ({ kind, method }) => kind === 'hang' && method === 'connect')) return
  socket.on('message', (data: Buffer) => {
    handleFrame(state, connection, data.toString('utf8')).catch((error: unknown) => {
      reportCrash(error)
      socket.terminate()
    })
  })
}
