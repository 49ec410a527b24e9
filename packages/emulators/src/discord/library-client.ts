import { once } from 'node:events'
import { REST, type RESTOptions } from '@discordjs/rest'
import { type SessionInfo, WebSocketManager, WebSocketShardEvents } from '@discordjs/ws'
import { isRecord } from '../kit/http.ts'
import { type DiscordEmulator, type DiscordEmulatorOptions, startDiscordEmulator } from './emulator.ts'
import { DISCORD_BOT } from './state.ts'

type Fields = Readonly<Record<string, unknown>>

/** GUILDS, GUILD_MESSAGES, DIRECT_MESSAGES, MESSAGE_CONTENT. */
export const NEEDED_INTENTS = 37_377

/** An emulator and the official libraries as they are. */
export interface Bench extends DiscordEmulator, AsyncDisposable {
  readonly rest: REST
  /** A client of the gateway; it is destroyed with the bench. */
  gateway(options?: GatewayOptions): GatewayClient
}
export interface GatewayOptions {
  readonly intents?: number
  readonly token?: string
  /** A session to begin with. */
  readonly session?: SessionInfo | null
}
export interface GatewayClient {
  readonly manager: WebSocketManager
  /** What came, as `<type> <content>`. */
  readonly seen: string[]
  /** Messages of the `error` events. */
  readonly errors: string[]
  /** The data of every event, by arrival. */
  readonly data: Fields[]
  /** The newest session that the library wanted kept. */
  readonly session: () => SessionInfo | null
  /** Resolves when `count` events of this type have come. */
  received(type: string, count?: number): Promise<void>
}

export async function openBench(
  options: DiscordEmulatorOptions = {},
  restOptions: Partial<RESTOptions> = {},
): Promise<Bench> {
  const emulator = await startDiscordEmulator(options)
  const rest = newRest(emulator.apiUrl, restOptions)
  const managers: WebSocketManager[] = []
  return {
    ...emulator,
    rest,
    gateway(gatewayOptions = {}) {
      const client = newGateway(rest, gatewayOptions)
      managers.push(client.manager)
      return client
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(managers.map(async (manager) => manager.destroy()))
      await emulator.close()
    },
  }
}

/** The REST client, pointed here. */
export const newRest = (api: string, options: Partial<RESTOptions> = {}): REST =>
  new REST({ version: '10', api, ...options }).setToken(DISCORD_BOT.token)

function newGateway(rest: REST, { intents = NEEDED_INTENTS, token, session = null }: GatewayOptions): GatewayClient {
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
