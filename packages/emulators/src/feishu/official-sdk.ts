import type { Client, WSClient } from '@larksuiteoapi/node-sdk'
import type { Bench } from './bench.ts'

type Sdk = typeof import('@larksuiteoapi/node-sdk')

/** The official library against an emulator, with nothing shared between tests. */
export interface SdkBench extends AsyncDisposable {
  readonly client: Client
  readonly socket: WSClient
  /** Text of every line that the library logged. */
  readonly log: readonly string[]
  readonly heard: readonly unknown[]
  readonly states: readonly string[]
  /** Starts receiving; `handle` is awaited before the acknowledgement. */
  start(handle?: (event: unknown) => Promise<void>): Promise<void>
}

/** Default: the credentials of the emulator's app, no watch over pings. */
export interface SdkOptions {
  readonly appId?: string
  readonly secret?: string
  readonly pingTimeoutSeconds?: number
}

/** Loads the library only now: it is large. */
export async function openSdk(bench: Bench, options: SdkOptions = {}): Promise<SdkBench> {
  const sdk: Sdk = await import('@larksuiteoapi/node-sdk')
  const [log, heard, states]: [string[], unknown[], string[]] = [[], [], []]
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
    heard,
    states,
    async start(handle) {
      const dispatcher = new sdk.EventDispatcher({ logger }).register({
        'im.message.receive_v1': async (event: unknown) => {
          heard.push(event)
          await handle?.(event)
        },
      })
      await socket.start({ eventDispatcher: dispatcher })
    },
    [Symbol.asyncDispose]: async () => socket.close({ force: true }),
  }
}
