import type { Client, WSClient } from '@larksuiteoapi/node-sdk'
import type { Bench } from './testing-app.ts'

type Sdk = typeof import('@larksuiteoapi/node-sdk')

/** The official SDK connected to an emulator, with no state shared between tests. */
export interface SdkBench extends AsyncDisposable {
  readonly client: Client
  readonly socket: WSClient
  /** Lines that the SDK logged. */
  readonly log: readonly string[]
  readonly received: readonly unknown[]
  readonly states: readonly string[]
  /** Starts receiving; `handle` is awaited before the acknowledgement. */
  start(handle?: (event: unknown) => Promise<void>): Promise<void>
}

/** Default: the emulator's credentials, no ping timeout. */
export interface SdkOptions {
  readonly appId?: string
  readonly secret?: string
  readonly pingTimeoutSeconds?: number
}

/** Creates SDK clients. Loads the SDK on demand because it is large. */
export async function openSdk(bench: Bench, options: SdkOptions = {}): Promise<SdkBench> {
  const sdk: Sdk = await import('@larksuiteoapi/node-sdk')
  const [log, received, states]: [string[], unknown[], string[]] = [[], [], []]
  const note = (...words: readonly unknown[]): void => void log.push(JSON.stringify(words))
  const logger = { error: note, warn: note, info: note, debug: note, trace: note }
  const common = {
    appId: options.appId ?? bench.appId,
    appSecret: options.secret ?? bench.secret,
    domain: bench.url,
    logger,
    loggerLevel: sdk.LoggerLevel.debug,
  }
  const client = new sdk.Client({ ...common, cache: new sdk.DefaultCache() })
  const socket = new sdk.WSClient({
    ...common,
    handshakeTimeoutMs: 15_000,
    ...(options.pingTimeoutSeconds !== undefined && { wsConfig: { pingTimeout: options.pingTimeoutSeconds } }),
    onReady: () => states.push('ready'),
    onError: (error: Error) => states.push(`error ${error.message}`),
    onReconnecting: () => states.push('reconnecting'),
    onReconnected: () => states.push('reconnected'),
  })
  return {
    client,
    socket,
    log,
    received,
    states,
    async start(handle) {
      const dispatcher = new sdk.EventDispatcher({ logger }).register({
        'im.message.receive_v1': async (event: unknown) => {
          received.push(event)
          await handle?.(event)
        },
      })
      await socket.start({ eventDispatcher: dispatcher })
    },
    [Symbol.asyncDispose]: async () => socket.close({ force: true }),
  }
}
