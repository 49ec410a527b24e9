import { once } from 'node:events'
import { REST, type RESTOptions } from '@discordjs/rest'
import { type SessionInfo, WebSocketManager, WebSocketShardEvents } from '@discordjs/ws'
import { isRecord } from '../kit/http.ts'
import { type DiscordEmulator, type DiscordEmulatorOptions, startDiscordEmulator } from './emulator.ts'
import { DISCORD_BOT } from './state.ts'

type Fields = Readonly<Record<string, unknown>>

/** GUILDS, GUILD_MESSAGES, DIRECT_MESSAGES, MESSAGE_CONTENT. */
export const NEEDED_INTENTS = 37_377

/** An emulator and the official libraries. */
export interface Bench extends DiscordEmulator, AsyncDisposable {
  readonly rest: REST
  /** Creates a gateway client, destroyed with the bench. */
  gateway(options?: GatewayOptions): GatewayClient
}
/** Options of a gateway client. */
export interface GatewayOptions {
  readonly intents?: number
  readonly token?: string
  /** Session to resume. */
  readonly session?: SessionInfo | null
}
/** A gateway client of the official library. */
export interface GatewayClient {
  readonly manager: WebSocketManager
  /** Received events, as `<type> <content>`. */
  readonly seen: string[]
  /** Messages of the `error` events. */
  readonly errors: string[]
  /** Data of the received events. */
  readonly data: Fields[]
  /** Returns the session that the library last stored. */
  readonly session: () => SessionInfo | null
  /** Resolves once `count` events of this type have arrived. */
  received(type: string, count?: number): Promise<void>
}

/** Starts an emulator with the official libraries. */
export async function openBench(
  options: DiscordEmulatorOptions = {},
  restOptions: Partial<RESTOptions> = {},
): Promise<Bench> {
  const emulator = await startDiscordEmulator(options)
  const rest = createRest(emulator.apiUrl, restOptions)
  const managers: WebSocketManager[] = []
  return {
    ...emulator,
    rest,
    gateway(gatewayOptions = {}) {
      const client = createGatewayClient(rest, gatewayOptions)
      managers.push(client.manager)
      return client
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(managers.map(async (manager) => manager.destroy()))
      await emulator.close()
    },
  }
}

/** Creates a REST client for an emulator. */
export const createRest = (api: string, options: Partial<RESTOptions> = {}): REST =>
  new REST({ version: '10', api, ...options }).setToken(DISCORD_BOT.token)

function createGatewayClient(
  rest: REST,
  { intents = NEEDED_INTENTS, token, session = null }: GatewayOptions,
): GatewayClient {
  let kept: SessionInfo | null = session
  const seen: string[] = []
  const errors: string[] = []
  const data: Fields[] = []
  const manager = new WebSocketManager({
    token: token ?? DISCORD_BOT.token,
    intents,
    rest,
    // a real client waits five seconds between two sessions
    buildIdentifyThrottler: () => ({ waitForIdentify: async () => undefined }),
    retrieveSessionInfo: () => kept,
    updateSessionInfo: (_shard, info) => {
      kept = info
    },
  })
  manager.on(WebSocketShardEvents.Error, (error) => errors.push(error.message))
  manager.on(WebSocketShardEvents.Dispatch, (payload) => {
    const fields: unknown = payload.d
    data.push(isRecord(fields) ? fields : {})
    seen.push(
      `${payload.t} ${isRecord(fields) && typeof fields['content'] === 'string' ? fields['content'] : ''}`.trim(),
    )
  })
  return {
    manager,
    seen,
    errors,
    data,
    session: () => kept,
    async received(type, count = 1) {
      const isThere = (): boolean => seen.filter((one) => one.split(' ')[0] === type).length >= count
      while (!isThere()) await once(manager, WebSocketShardEvents.Dispatch)
    },
  }
}
