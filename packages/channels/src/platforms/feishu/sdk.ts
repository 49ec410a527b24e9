import type { Agent } from 'node:http'
import { createRequire } from 'node:module'
import type { Json } from './json.ts'
import type { WireRequest } from './transport.ts'

/**
 * The one file that touches `@larksuiteoapi/node-sdk`. Its type file has 320 000 lines, so what is used of it is
 * written down here.
 */
interface Sdk {
  readonly Client: new (
    options: object,
  ) => {
    request(payload: object, options?: object): Promise<unknown>
  }
  readonly WSClient: new (
    options: object,
  ) => {
    start(options: { eventDispatcher: unknown }): Promise<void>
    close(options?: { force?: boolean }): void
  }
  readonly EventDispatcher: new (
    options: object,
  ) => {
    register(handles: Readonly<Record<string, (event: unknown) => Promise<void>>>): unknown
  }
}

let sdk: Sdk | undefined

/** Only a service that uses Feishu pays for it; by `require` 17 MB less than by `import()`, which scans its 6 MB first. */
function loadSdk(): Sdk {
  const require = createRequire(import.meta.url)
  sdk ??= require('@larksuiteoapi/node-sdk') as Sdk // a module without types: see above
  return sdk
}

const silent = (): void => undefined
/** What the SDK logs holds messages of people and, with an error, whole requests. */
const NO_LOG = { error: silent, warn: silent, info: silent, debug: silent, trace: silent }

/** Keeps nothing: tokens are kept by our own client, and shared with nobody. */
const noCache = () => ({ get: () => Promise.resolve(undefined), set: () => Promise.resolve(true) })

const refuse = (): Promise<never> => Promise.reject(new Error('not used'))
/** The SDK's way out: `request` is the only method that it calls here. */
const httpInstance = (request: (options: unknown) => Promise<unknown>) => ({
  request,
  get: refuse,
  delete: refuse,
  head: refuse,
  options: refuse,
  post: refuse,
  put: refuse,
  patch: refuse,
})

export interface AppOptions {
  readonly appId: string
  readonly appSecret: string
  /** Without a trailing slash. */
  readonly domain: string
}

/** A call of the open API. `form` takes the place of `body`, which the SDK copies member by member. */
export interface RestCall<X> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the domain, ids already encoded. */
  readonly path: string
  readonly token: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Json
  readonly form?: FormData
  /** Handed to `wire` with the request. */
  readonly extra: X
}

/**
 * The SDK's REST client: builds each request, `wire` makes it. Its own tokens are off, because they go on without one
 * when the secret is wrong.
 */
export function openRest<X, R>(
  app: AppOptions,
  wire: (request: WireRequest, extra: X) => Promise<R>,
): (call: RestCall<X>) => Promise<R> {
  const { Client } = loadSdk()
  const client = new Client({
    ...app,
    source: 'gatepost',
    disableTokenCache: true,
    cache: noCache(),
    logger: NO_LOG,
    httpInstance: httpInstance((built) => {
      const { method, url, headers, params, data, form, extra } = built as BuiltRequest<X> // as `request` below made it
      const body = form ?? (Object.keys(data ?? {}).length === 0 ? undefined : data)
      return wire({ method, url, headers, query: params, ...(body === undefined ? {} : { body }) }, extra)
    }),
  })
  return async ({ method, path, token, query, body, form, extra }) => {
    const headers = { Authorization: `Bearer ${token}` }
    const payload = { method, url: path, params: query ?? {}, data: body ?? {}, headers, form, extra }
    return (await client.request(payload)) as R // what `wire` returned
  }
}

interface BuiltRequest<X> {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly params: Readonly<Record<string, string>>
  readonly data?: Json
  readonly form?: FormData
  readonly extra: X
}

export interface SocketOptions extends AppOptions {
  /** As discovery named it, checked. */
  readonly url: string
  readonly pingSeconds: number
  /** Makes the connection, and so sees its bytes and its end, of which the SDK tells nothing. */
  readonly agent: Agent
  /** By event type. An event is acknowledged when the promise resolves, refused when it rejects. */
  readonly handlers: Readonly<Record<string, (event: unknown) => Promise<void>>>
  readonly onReady: () => void
  /** The connection could not be made. */
  readonly onError: () => void
}

const HANDSHAKE_MS = 15_000
/** Of the ping interval: later the next ping would start the SDK's watchdog afresh, and it would never bite. */
const PONG_SHARE = 0.75

/** Opens the long connection once: when it ends, it is not opened again. @returns what closes it */
export function openSocket(options: SocketOptions): () => void {
  const { WSClient, EventDispatcher } = loadSdk()
  const { appId, appSecret, domain, url, pingSeconds, agent, handlers, onReady, onError } = options
  const discovered = {
    code: 0,
    msg: '',
    data: {
      URL: url,
      ClientConfig: { PingInterval: pingSeconds, ReconnectCount: 0, ReconnectInterval: 120, ReconnectNonce: 30 },
    },
  }
  const client = new WSClient({
    appId,
    appSecret,
    domain,
    agent,
    logger: NO_LOG,
    autoReconnect: false,
    handshakeTimeoutMs: HANDSHAKE_MS,
    wsConfig: { pingTimeout: pingSeconds * PONG_SHARE },
    // discovery is done: its traps (no `data`, addresses that lead elsewhere) are met before
    httpInstance: httpInstance(() => Promise.resolve(discovered)),
    onReady,
    onError,
  })
  const eventDispatcher = new EventDispatcher({ logger: NO_LOG, cache: noCache() })
  eventDispatcher.register(handlers)
  void client.start({ eventDispatcher }).catch(onError)
  return () => client.close()
}
