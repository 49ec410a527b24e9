import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type EmulatorClock, systemClock } from '../kit/clock.ts'
import type { PlatformControl } from '../kit/control.ts'
import { removeSiblings } from '../kit/page/page-info.ts'
import { answerPageFile, isPagePath, type PageFiles, SHARED_FILES } from '../kit/page/serve.ts'
import { sendCrashReply, listen } from '../kit/server.ts'
import { answerCall, answerFile } from './bot-api.ts'
import { Bots, DEFAULT_BOT } from './bots.ts'
import { createCommonControl, type TelegramFault } from './common-control.ts'
import type { TelegramControl } from './control/control.ts'
import { createControl } from './control/in-process.ts'
import { answerControl, type Controls } from './control/over-http.ts'

/** Options, with times that tests can shorten. */
export interface TelegramEmulatorOptions {
  /** Default 0: a free port. */
  readonly port?: number
  readonly host?: '127.0.0.1'
  readonly clock?: EmulatorClock
  /** Number of requests, messages and confirmed updates to keep per bot, at least 1. Default 10,000. */
  readonly history?: number
  /** Total size of files to keep per bot, in bytes. Default 256 MiB. */
  readonly fileBytes?: number
  /** Delay of the 409 for a second poller, in ms. Default 3,000, like the platform. */
  readonly conflictDelayMs?: number
  /** How long a poll that repeats an offset too soon is held, in ms. Default 3,000. */
  readonly repeatHoldMs?: number
  /**
   * Ids of messages and updates are numbered from above this, an integer up to 1e9. The platform never reuses ids, so
   * a restarted emulator needs a higher number. Default 0.
   */
  readonly idsAbove?: number
  /** Lifetime of a streaming draft, in ms. Default 30,000, like the platform. */
  readonly draftLifeMs?: number
}

/** A running emulator. */
export interface TelegramEmulator {
  /** Replaces https://api.telegram.org. Without a trailing slash. */
  readonly url: string
  readonly control: TelegramControl
  /** Shared control operations; over HTTP below `/control/common/`. */
  readonly common: PlatformControl<TelegramFault>
  close(): Promise<void>
}

/** Starts an emulator of the Bot API with one bot, `DEFAULT_BOT`. Rejects when the port is taken. */
export async function startTelegramEmulator(options: TelegramEmulatorOptions = {}): Promise<TelegramEmulator> {
  const { port = 0, host = '127.0.0.1', clock = systemClock, history = 10_000 } = options
  if (!Number.isInteger(history) || history < 1) throw new RangeError('history must be an integer of at least 1')
  const bots = new Bots({
    clock,
    history,
    fileBytes: options.fileBytes ?? 256 * 1024 * 1024,
    conflictDelayMs: options.conflictDelayMs ?? 3_000,
    repeatHoldMs: options.repeatHoldMs ?? 3_000,
    draftLifeMs: options.draftLifeMs ?? 30_000,
    idsAbove: options.idsAbove ?? 0,
  })
  bots.create(DEFAULT_BOT)
  const apiSockets = new Set<Socket>()
  const control = createControl(bots, () => {
    for (const socket of apiSockets) socket.destroy()
  })
  const common = createCommonControl(bots, control)
  const server = createServer((request, response) => {
    route(bots, { control, common }, apiSockets, request, response).catch((error: unknown) =>
      sendCrashReply(response, error),
    )
  })
  // bots keep connections alive between calls; closing one early would look like a fault
  server.keepAliveTimeout = 120_000
  server.requestTimeout = 0
  await listen(server, port, host)
  const address = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  const url = `http://${host}:${bound}`
  return {
    url,
    control,
    common,
    close: () => {
      removeSiblings(url)
      return close(server)
    },
  }
}

async function route(
  bots: Bots,
  controls: Controls,
  apiSockets: Set<Socket>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = request.url ?? '/'
  if (path.startsWith('/bot') || path.startsWith('/file/bot')) {
    const { socket } = request
    if (!apiSockets.has(socket)) {
      apiSockets.add(socket)
      socket.once('close', () => apiSockets.delete(socket))
    }
    return path.startsWith('/bot') ? answerCall(bots, request, response) : answerFile(bots, request, response)
  }
  if (path.startsWith('/control/')) return answerControl(controls, bots, request, response)
  if (isPagePath(path)) return answerPage(request, response)
  response.writeHead(404, { 'content-type': 'application/json' })
  response.end('{"ok":false,"error_code":404,"description":"Not Found"}')
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

const FILES: PageFiles = {
  ...SHARED_FILES,
  ...Object.fromEntries(
    ['index.html', 'chat.js', 'cast.js', 'control.js', 'messages.js', 'format.js'].map((name) => [
      name,
      new URL(`page/${name}`, import.meta.url),
    ]),
  ),
}

/** Serves `/demo` and its files; redirects `/` there. */
const answerPage = (request: IncomingMessage, response: ServerResponse): Promise<void> =>
  answerPageFile(FILES, request, response)
