import { PAGE_INFOS } from '../kit/page/page-info.ts'
import { type EmulatorClock, systemClock } from '../kit/clock.ts'
import { startServer } from '../kit/server.ts'
import { type DiscordControl, createControl } from './control.ts'
import { handleRequest } from './rest.ts'
import { createState } from './state.ts'

/** Options, with times that tests can shorten. */
export interface DiscordEmulatorOptions {
  /** Default 0: a free port. */
  readonly port?: number
  readonly clock?: EmulatorClock
  /** Number of requests, events, and messages per channel to keep, at least 1. Default 10,000. */
  readonly history?: number
  /** Total size of attachments to keep, in bytes. Default 256 MiB. */
  readonly fileBytes?: number
  /** Heartbeat interval announced to clients, in ms. Default 41,250, like the platform's. */
  readonly heartbeatMs?: number
  /** How long a session without a socket can be resumed, in ms. Default 180,000. */
  readonly resumeMs?: number
  /** How long a nonce is remembered, in ms. Default 180,000. */
  readonly nonceMs?: number
  /** Lifetime of an attachment's address, in ms. Default 24 h. */
  readonly attachmentLifeMs?: number
  /** Number of sessions that can be started; one more resets the token. Default 1,000. */
  readonly identifies?: number
  /** Rate limit per channel and method. Default: practically unlimited; the platform allows about 5 in 5 s. */
  readonly messageRate?: { readonly limit: number; readonly perMs: number }
  /** Whether the application has the Message Content intent. Default true. */
  readonly messageContent?: boolean
}

/** A running emulator. */
export interface DiscordEmulator {
  /** Base address, without a trailing slash. */
  readonly url: string
  /** Replaces https://discord.com/api. */
  readonly apiUrl: string
  /** Replaces wss://gateway.discord.gg. */
  readonly wsUrl: string
  readonly control: DiscordControl
  close(): Promise<void>
}

/** Starts an emulator of Discord with one bot, which is in no guild yet. Rejects when the port is taken. */
export async function startDiscordEmulator(options: DiscordEmulatorOptions = {}): Promise<DiscordEmulator> {
  const { port = 0, clock = systemClock, history = 10_000 } = options
  const state = createState({
    clock,
    history,
    fileBytes: options.fileBytes ?? 256 * 1024 * 1024,
    heartbeatMs: options.heartbeatMs ?? 41_250,
    resumeMs: options.resumeMs ?? 180_000,
    nonceMs: options.nonceMs ?? 180_000,
    attachmentLifeMs: options.attachmentLifeMs ?? 24 * 60 * 60 * 1000,
    identifies: options.identifies ?? 1_000,
    messageRate: options.messageRate ?? { limit: 10_000, perMs: 5_000 },
    messageContent: options.messageContent ?? true,
  })
  const server = await startServer(port, (self) => ({
    control: createControl(state, () => self.dropConnections()),
    page: PAGE_INFOS.discord,
    handle: (request, response) => handleRequest(state, request, response),
    open: (socket, request) => state.gateway.open(socket, request),
  }))
  state.url = server.url
  state.wsUrl = server.wsUrl
  const control = createControl(state, () => server.dropConnections())
  return { url: server.url, apiUrl: `${server.url}/api`, wsUrl: server.wsUrl, control, close: () => server.close() }
}
