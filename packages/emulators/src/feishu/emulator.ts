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
import { Rates } from './rates.ts'
import { Registration, type RegistrationTimes } from './registration.ts'
import type { Parts } from './routes.ts'
import { DEFAULT_SCOPES, FeishuState } from './state.ts'
import { Tokens } from './tokens.ts'

/** Times are those of the platform unless they are scaled here. */
export interface FeishuEmulatorOptions {
  /** Default 0: a free port. */
  readonly port?: number
  readonly clock?: EmulatorClock
  /** How many requests, messages and events are kept, 1 or more. Default 10 000. */
  readonly history?: number
  /** How many bytes of files are kept. Default 256 MiB. */
  readonly fileBytes?: number
  /** Scopes that are granted. Default: those of the guided set-up, that is no `im:message.group_msg`. */
  readonly scopes?: readonly string[]
  /** What the connection tells its client, seconds. Default: a ping each 120, a new attempt each 120, a first one within 30. */
  readonly client?: Partial<ClientConfig>
  /** How long an acknowledgement counts, ms. Default 3 000. */
  readonly ackMs?: number
  /** How long after each attempt an unconfirmed event comes again, ms. Default 15 s, 5 min, 1 h, 6 h. */
  readonly redeliverMs?: readonly number[]
  /** Life of a token, seconds. Default 7 200. */
  readonly tokenSeconds?: number
  /** How long a card streams at most, ms. Default 10 minutes. */
  readonly streamLifeMs?: number
  /** Whether the platform's rate limits hold. Default false. */
  readonly rateLimits?: boolean
  /** Default: a poll each 5 seconds, a life of 3 600. */
  readonly registration?: Partial<RegistrationTimes>
}

/** A running stand-in for Feishu and Lark. */
export interface FeishuEmulator {
  /** Takes the place of https://open.feishu.cn and of https://accounts.feishu.cn, without a trailing slash. */
  readonly url: string
  readonly control: PlatformControl<FeishuFault>
  close(): Promise<void>
}

/** Starts a stand-in for Feishu and Lark with one app. Rejects when the port is taken. */
export async function startFeishuEmulator(options: FeishuEmulatorOptions = {}): Promise<FeishuEmulator> {
  const { port = 0, clock = systemClock, history = 10_000, scopes = DEFAULT_SCOPES } = options
  const state = new FeishuState(clock, history, options.fileBytes ?? 256 * 1024 * 1024, scopes)
  const ended = new AbortController()
  const rates = new Rates(clock, options.rateLimits ?? false)
  let control: PlatformControl<FeishuFault> | undefined
  const server = await startServer(port, (self) => {
    const parts = partsOf(state, rates, options, self, ended.signal)
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
  if (!control) throw new Error('the server started without its parts')
  const close = (): Promise<void> => {
    ended.abort()
    return server.close()
  }
  return { url: server.url, control, close }
}

function partsOf(
  state: FeishuState,
  rates: Rates,
  options: FeishuEmulatorOptions,
  { url, wsUrl }: { readonly url: string; readonly wsUrl: string },
  ended: AbortSignal,
): Parts {
  const client = {
    PingInterval: 120,
    ReconnectCount: -1,
    ReconnectInterval: 120,
    ReconnectNonce: 30,
    ...options.client,
  }
  const { ackMs = 3_000, redeliverMs = [15_000, 300_000, 3_600_000, 21_600_000] } = options
  const cards = new Cards(state, options.streamLifeMs ?? 600_000, options.rateLimits ?? false, ended)
  return {
    state,
    cards,
    tokens: new Tokens(state, options.tokenSeconds ?? 7_200),
    messages: new Messages(state, cards, rates),
    connection: new LongConnection(state, wsUrl, { client, ackMs, redeliverMs }, ended),
    registration: new Registration(state, url, { intervalSeconds: 5, lifeSeconds: 3_600, ...options.registration }),
  }
}
