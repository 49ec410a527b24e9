import { PAGE_INFOS } from '../kit/page/page-info.ts'
import { type EmulatorClock, systemClock } from '../kit/clock.ts'
import type { PlatformControl } from '../kit/control.ts'
import { startServer } from '../kit/server.ts'
import { answerCall } from './api.ts'
import { Cards } from './cards.ts'
import { createControl } from './control.ts'
import type { FeishuFault } from './faults.ts'
import { type ClientConfig, LongConnection } from './long-connection.ts'
import { Messages } from './messages.ts'
import { RateLimits } from './rate-limits.ts'
import { Registration, type RegistrationTimes } from './registration.ts'
import type { Services } from './routes.ts'
import { DEFAULT_SCOPES, FeishuState } from './state.ts'
import { Tokens } from './tokens.ts'

/** Options; times default to the platform's. */
export interface FeishuEmulatorOptions {
  /** Default 0: a free port. */
  readonly port?: number
  readonly clock?: EmulatorClock
  /** Number of requests, messages and events to keep, at least 1. Default 10,000. */
  readonly history?: number
  /** Total size of files to keep, in bytes. Default 256 MiB. */
  readonly fileBytes?: number
  /** Granted scopes. Default: those of guided setup, i.e. without `im:message.group_msg`. */
  readonly scopes?: readonly string[]
  /** Client settings of the connection, in seconds. Default: ping every 120, reconnect every 120, first attempt within 30. */
  readonly client?: Partial<ClientConfig>
  /** How long an event can be acknowledged, in ms. Default 3,000. */
  readonly ackMs?: number
  /** Delays before each redelivery of an unconfirmed event, in ms. Default 15 s, 5 min, 1 h, 6 h. */
  readonly redeliverMs?: readonly number[]
  /** Lifetime of a token, in seconds. Default 7,200. */
  readonly tokenSeconds?: number
  /** How long a card can stream, in ms. Default 10 minutes. */
  readonly streamLifeMs?: number
  /** Whether to apply the platform's rate limits. Default false. */
  readonly rateLimits?: boolean
  /** Times of guided setup, in seconds. Default: poll every 5, expire after 3,600. */
  readonly registration?: Partial<RegistrationTimes>
}

/** A running emulator of Feishu and Lark. */
export interface FeishuEmulator {
  /** Replaces https://open.feishu.cn and https://accounts.feishu.cn. Without a trailing slash. */
  readonly url: string
  readonly control: PlatformControl<FeishuFault>
  close(): Promise<void>
}

/** Starts an emulator of Feishu and Lark with one app. Rejects when the port is taken. */
export async function startFeishuEmulator(options: FeishuEmulatorOptions = {}): Promise<FeishuEmulator> {
  const { port = 0, clock = systemClock, history = 10_000, scopes = DEFAULT_SCOPES } = options
  const state = new FeishuState(clock, history, options.fileBytes ?? 256 * 1024 * 1024, scopes)
  const closing = new AbortController()
  const rates = new RateLimits(clock, options.rateLimits ?? false)
  let control: PlatformControl<FeishuFault> | undefined
  const server = await startServer(port, (self) => {
    const parts = createServices(state, rates, options, self, closing.signal)
    control = createControl(parts, self.url, () => self.dropConnections())
    return {
      control,
      page: PAGE_INFOS.feishu,
      admit: (request) => parts.connection.admit(request),
      open: (socket) => parts.connection.open(socket),
      handle: async (request, response) => {
        const { pathname } = new URL(request.url ?? '/', self.url)
        if (pathname === '/page/launcher') return void response.writeHead(302, { location: '/demo' }).end()
        return answerCall(parts, rates, request, response)
      },
    }
  })
  if (!control) throw new Error('the server started without control operations')
  const close = (): Promise<void> => {
    closing.abort()
    return server.close()
  }
  return { url: server.url, control, close }
}

function createServices(
  state: FeishuState,
  rates: RateLimits,
  options: FeishuEmulatorOptions,
  { url, wsUrl }: { readonly url: string; readonly wsUrl: string },
  closing: AbortSignal,
): Services {
  const client = {
    PingInterval: 120,
    ReconnectCount: -1,
    ReconnectInterval: 120,
    ReconnectNonce: 30,
    ...options.client,
  }
  const { ackMs = 3_000, redeliverMs = [15_000, 300_000, 3_600_000, 21_600_000] } = options
  const cards = new Cards(state, options.streamLifeMs ?? 600_000, options.rateLimits ?? false, closing)
  return {
    state,
    cards,
    tokens: new Tokens(state, options.tokenSeconds ?? 7_200),
    messages: new Messages(state, cards, rates),
    connection: new LongConnection(state, wsUrl, { client, ackMs, redeliverMs }, closing),
    registration: new Registration(state, url, { intervalSeconds: 5, lifeSeconds: 3_600, ...options.registration }),
  }
}
