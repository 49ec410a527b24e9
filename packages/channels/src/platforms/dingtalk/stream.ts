import type { Inbox } from '../../connection.ts'
import { ConnectionError } from '../../errors.ts'
import type { PlatformIo } from '../../platform-io.ts'
import type { DingtalkClient } from './client.ts'
import { decodeMessage } from './decode.ts'
import { parseDingtalkUrl, oapiUrl } from './http.ts'
import type { BotMemory } from './memory.ts'
import { toConnectionError } from './outcome.ts'
import { openSocket, type SocketHooks, type StreamSocket } from './socket.ts'

const OPEN_MS = 10_000
/** Number of immediate replacements in a row after which something is wrong. */
const HASTY_RENEWALS = 3
/** A stream that lived this long is reopened at once; one that ends sooner is left to the back-off. */
const STEADY_MS = 10_000
/** How often credentials are tried that the streams do not know, but the rest of the platform does. */
const REJECTED_TRIES = 3
const REJECTED_WAIT_MS = 2_000

/** What receiving works with. */
export interface StreamContext {
  readonly client: DingtalkClient
  readonly clientId: string
  readonly memory: BotMemory
  readonly io: PlatformIo
}

/**
 * Receives until `signal` aborts, on one stream after the other. A message is confirmed only once the inbox has it.
 * @throws {ConnectionError} and what `inbox` throws.
 */
export async function receive(of: StreamContext, inbox: Inbox, signal: AbortSignal): Promise<void> {
  const { health } = of.memory
  const aborted = Promise.withResolvers<'aborted'>()
  const stop = (): void => aborted.resolve('aborted')
  signal.addEventListener('abort', stop, { once: true })
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => undefined) // it is also thrown by the race below, if that still runs
  const hooks = createHooks(of, inbox, failed.reject)
  const open = new Set<StreamSocket>()
  try {
    let stream = await openFirst(of, hooks, open, signal)
    let quickEndings = 0
    while (stream !== null && !signal.aborted) {
      health.isOpen = true
      const event = await Promise.race([aborted.promise, failed.promise, stream.renew, stream.ended])
      if (event === 'aborted') break
      const old: StreamSocket = stream
      if (event !== undefined) {
        health.isOpen = false
        open.delete(old)
        of.io.log.info('The DingTalk stream closed', { why: event })
      }
      const place = await requestStreamUrl(of, signal)
      quickEndings = of.io.clock.now() - old.openedAtMs < STEADY_MS ? quickEndings + 1 : 0
      if (quickEndings > (event === undefined ? HASTY_RENEWALS : 0)) {
        const why = event ?? 'the gateway keeps requesting a new one'
        throw new ConnectionError('network', `The stream closed soon after it was opened: ${why}.`)
      }
      stream = place === null ? null : await openStream(place, hooks, open, signal)
      if (event === undefined && stream !== null) void retireStream(old, open)
    }
  } finally {
    health.isOpen = false
    signal.removeEventListener('abort', stop)
    await Promise.all([...open].map((stream) => stream.retire()))
  }
}

async function retireStream(stream: StreamSocket, open: Set<StreamSocket>): Promise<void> {
  await stream.retire()
  open.delete(stream)
}

async function openFirst(
  of: StreamContext,
  hooks: SocketHooks,
  open: Set<StreamSocket>,
  signal: AbortSignal,
): Promise<StreamSocket | null> {
  const place = await requestStreamUrl(of, signal)
  return place === null ? null : openStream(place, hooks, open, signal)
}

/** `null` when stopped. */
async function openStream(
  place: URL,
  hooks: SocketHooks,
  open: Set<StreamSocket>,
  signal: AbortSignal,
): Promise<StreamSocket | null> {
  try {
    const stream = await openSocket(place, hooks, signal)
    open.add(stream)
    return stream
  } catch (error) {
    if (signal.aborted) return null
    throw error
  }
}

/** `null` when stopped. @throws {ConnectionError} */
async function requestStreamUrl({ client, io }: StreamContext, signal: AbortSignal): Promise<URL | null> {
  for (let tries = 1; ; tries++) {
    const answer = await client.openStream({ signal, timeoutMs: OPEN_MS })
    if (signal.aborted) return null
    if (answer.ok) return answer.result
    const error = toConnectionError(answer.failure)
    if (error.code !== 'credentials_rejected' || tries >= REJECTED_TRIES) throw error
    // of an app that was made just now the streams learn later than the rest of the platform
    const probed = await client.probe({ signal, timeoutMs: OPEN_MS })
    if (signal.aborted) return null
    if (!probed.ok) throw toConnectionError(probed.failure)
    await io.clock.sleep(REJECTED_WAIT_MS, signal)
    if (signal.aborted) return null
  }
}

function createHooks(of: StreamContext, inbox: Inbox, failed: (error: unknown) => void): SocketHooks {
  const { clientId, memory, io } = of
  return {
    io,
    failed,
    alive() {
      memory.health.lastFrameAtMs = io.clock.now()
      inbox.alive()
    },
    async take(data) {
      const { event, chat, malformed } = decodeMessage(data, clientId, io.clock.now())
      if (malformed !== undefined) io.log.warn('Dropped a malformed DingTalk message', { malformed })
      if (chat !== undefined) {
        const { id, conversationId, robotCode, external, webhook, webhookUntilMs } = chat
        const url = parseDingtalkUrl(webhook, 'webhook', oapiUrl(io))
        if (webhook !== null && url === null) io.log.warn('Dropped a DingTalk webhook with an untrusted host')
        const live = url === null ? null : { url, untilMs: webhookUntilMs }
        memory.remember(id, { conversationId, robotCode, external, webhook: live })
      }
      if (event === undefined) return
      await inbox.accept([event], null)
      memory.health.lastMessageAtMs = io.clock.now()
    },
  }
}
