import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import { ConnectionError } from '../../errors.ts'
import type { PlatformIo } from '../../platform.ts'
import { dataOf, type FeishuClient } from './client.ts'
import type { FeishuCredentials } from './credentials.ts'
import { mayOpen } from './hosts.ts'
import { integer, object, text } from './json.ts'
import { connectionErrorOf } from './outcome.ts'
import { openSocket } from './sdk.ts'

/** The long connection, open. */
export interface Line {
  readonly pingMs: number
  /** How many bytes have come in: more than at the last look is a sign of life. */
  received(): number
  /** Resolves when the platform, the network or `close` ended it. */
  readonly ended: Promise<void>
  /** What has been handed over to be sent, acknowledgements too, still goes out. */
  close(): void
}

export type Handlers = Readonly<Record<string, (event: unknown) => Promise<void>>>

/** What the platform says its client should do, seconds; without an answer that makes sense its documented value. */
const PING_SECONDS = 120
const OPEN_MS = 20_000

/**
 * Asks where to connect, and connects.
 * @returns `null` when stopped.
 * @throws {ConnectionError}
 */
export async function openLine(
  credentials: FeishuCredentials,
  client: FeishuClient,
  io: PlatformIo,
  handlers: Handlers,
  signal: AbortSignal,
): Promise<Line | null> {
  const answer = await client.discover(signal)
  if (signal.aborted) return null
  if (!answer.ok) throw connectionErrorOf(answer.failure)
  const data = dataOf(answer.body)
  const url = text(data['URL']) ?? ''
  if (!mayOpen(url, client.base, ['ws:', 'wss:'])) {
    throw new ConnectionError('network', 'Feishu named no address to connect to that may be opened: is domain right?')
  }
  const seconds = integer(object(data['ClientConfig'])?.['PingInterval'])
  const pingSeconds = seconds !== undefined && seconds >= 1 && seconds <= 600 ? seconds : PING_SECONDS
  return connect({ credentials, base: client.base, url, pingSeconds, handlers }, io, signal)
}

interface Target {
  readonly credentials: FeishuCredentials
  readonly base: string
  readonly url: string
  readonly pingSeconds: number
  readonly handlers: Handlers
}

async function connect(target: Target, io: PlatformIo, signal: AbortSignal): Promise<Line | null> {
  const { credentials, base, url, pingSeconds, handlers } = target
  const ended = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<boolean>()
  const waiting = new AbortController()
  let socket: Socket | null = null
  const agent = watchingAgent(url.startsWith('wss:'), (made) => {
    socket = made
    made.once('close', () => {
      ended.resolve()
      opened.resolve(false)
    })
  })
  const closeSocket = openSocket({
    appId: credentials.app_id,
    appSecret: credentials.app_secret,
    domain: base,
    url,
    pingSeconds,
    agent,
    handlers,
    onReady: () => opened.resolve(true),
    onError: () => opened.resolve(false),
  })
  const close = (): void => {
    closeSocket()
    // the SDK waits for the other side; a peer that is gone never answers
    if (socket === null) ended.resolve()
    else socket.destroySoon()
  }
  const late = io.clock.sleep(OPEN_MS, AbortSignal.any([signal, waiting.signal])).then(() => false)
  const isOpen = await Promise.race([opened.promise, late])
  waiting.abort()
  if (!isOpen || signal.aborted) {
    close()
    if (signal.aborted) return null
    throw new ConnectionError('network', 'The long connection to Feishu could not be opened.')
  }
  return { pingMs: pingSeconds * 1_000, received: () => socket?.bytesRead ?? 0, ended: ended.promise, close }
}

/** An agent that shows each connection that it makes. */
function watchingAgent(encrypted: boolean, onSocket: (socket: Socket) => void): HttpAgent {
  const agent = encrypted ? new HttpsAgent() : new HttpAgent()
  const make = agent.createConnection.bind(agent)
  agent.createConnection = (options, callback) => {
    const made = make(options, callback)
    if (made) onSocket(made as Socket) // these two agents make no other streams
    return made
  }
  return agent
}
