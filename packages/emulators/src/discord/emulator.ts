import { PAGE_INFOS } from '../kit/page/page-info.ts'
import { type EmulatorClock, systemClock } from '../kit/clock.ts'
import { startServer } from '../kit/server.ts'
import { type DiscordControl, discordControl } from './control.ts'
import { answer } from './rest.ts'
import { newState } from './state.ts'

export interface DiscordEmulatorOptions {
  /** Default 0: any free one. */
  readonly port?: number
  readonly clock?: EmulatorClock
  /** How many requests, events, and messages of a channel are kept, 1 or more. Default 10 000. */
  readonly history?: number
  /** How many bytes of attachments are kept. Default 256 MiB. */
  readonly fileBytes?: number
  /** How often a client shows that it lives, ms; told to the client. Default 41 250, as the platform. */
  readonly heartbeatMs?: number
  /** How long a session without a socket can be resumed, ms. Default 180 000: a few minutes. */
  readonly resumeMs?: number
  /** How long a nonce is remembered, ms. Default 180 000: a few minutes. */
  readonly nonceMs?: number
  /** How long the address of an attachment is valid, ms. Default 24 h. */
  readonly attachmentLifeMs?: number
  /** How many sessions may be begun; one more resets the token. Default 1 000. */
  readonly identifies?: number
  /** Calls per channel and method. Default: as good as none; the platform has about 5 in 5 s. */
  readonly messageRate?: { readonly limit: number; readonly perMs: number }
  /** Whether the application may read the content of every message. Default true. */
  readonly messageContent?: boolean
}

export interface DiscordEmulator {
  /** Of everything, without a trailing slash. */
  readonly url: string
  /** Takes the place of https://discord.com/api. */
  readonly apiUrl: string
  /** Takes the place of wss://gateway.discord.gg. */
  readonly wsUrl: string
  readonly control: DiscordControl
  close(): Promise<void>
}

/** Starts a stand-in for Discord with one bot that is in no guild. Rejects when the port is taken. */
export async function startDiscordEmulator(options: DiscordEmulatorOptions = {}): Promise<DiscordEmulator> {
  const { port = 0, clock = systemClock, history = 10_000 } = options
  const state = newState({
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
    control: discordControl(state, () => self.dropConnections()),
    page: PAGE_INFOS.discord,
    handle: (request, response) => answer(state, request, response),
    open: (socket, request) => state.gateway.open(socket, request),
  }))
  state.url = server.url
  state.wsUrl = server.wsUrl
  const control = discordControl(state, () => server.dropConnections())
  return { url: server.url, apiUrl: `${server.url}/api`, wsUrl: server.wsUrl, control, close: () => server.close() }
}
