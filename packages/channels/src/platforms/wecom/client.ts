import type { Logger, WSClient } from '@wecom/aibot-node-sdk'
import type { PlatformIo } from '../../platform-io.ts'
import type { WecomCredentials } from './credentials.ts'
import { failed, createRedactor, describeNetworkError, withTimeLimit, raceAbort } from '../wire/call.ts'
import { integer, object, text } from '../wire/json.ts'
import type { Answer, SessionEnd, WecomFailure } from './outcome.ts'

/** One subscribed connection. No method throws, and no text it returns holds the secret. */
export interface WecomSession {
  /** One frame, and what was answered to it. */
  call(cmd: string, reqId: string, body: Readonly<Record<string, unknown>> | null, signal: AbortSignal): Promise<Answer>
  /** How it ended; never rejects. */
  readonly ended: Promise<SessionEnd>
  /** @param end Default: `closed`. */
  close(end?: SessionEnd): void
}

/** Options of `openSession`. */
export interface SessionOptions {
  readonly credentials: WecomCredentials
  readonly url: string
  readonly io: PlatformIo
  /** A callback frame, in the order of arrival; the first ones may come before the subscription is known here. */
  readonly onFrame: (frame: unknown) => void
}

/** Returns the URL of the long connection. */
export const wecomUrl = (io: Pick<PlatformIo, 'host'>): string =>
  io.host('GATEPOST_WECOM_WS_URL', 'wss://openws.work.weixin.qq.com')

/** Until the subscription is answered. */
const SUBSCRIBE_MS = 10_000
/** Largest frame that is taken, in bytes: callbacks hold text and addresses, never files. */
const FRAME_BYTES = 4 * 1024 * 1024
/** The longest timer: disables the library's heartbeat, which does not report missing responses, in favor of ours. */
const NO_HEARTBEAT_MS = 2_147_483_647

/** Connects and subscribes, once: when to try again is for the caller to say. */
export async function openSession(
  options: SessionOptions,
  signal: AbortSignal,
): Promise<{ readonly session: WecomSession } | { readonly end: SessionEnd }> {
  const { io, credentials } = options
  const ended = Promise.withResolvers<SessionEnd>()
  const ready = Promise.withResolvers<void>()
  const hide = createRedactor(credentials.secret)
  const client = await createClient(options, hide)
  let over = false
  const close = (end: SessionEnd = { why: 'closed' }): void => {
    if (over) return
    over = true
    ended.resolve(end)
    client.disconnect()
  }
  const onFrame = (frame: unknown): void => {
    if (!over) options.onFrame(frame) // what was under way when it ended belongs to nobody
  }
  listen(client, onFrame, { close, ready: ready.resolve, hide })
  const session: WecomSession = {
    ended: ended.promise,
    close,
    call: (cmd, reqId, body, callSignal) => call(client, { cmd, reqId, body }, callSignal, hide),
  }
  return withTimeLimit(io.clock, { signal, timeoutMs: SUBSCRIBE_MS }, async (limit, abortCause) => {
    const stop = (): void =>
      close(abortCause() === 'time' ? { why: 'lost', detail: 'no response to the subscription' } : { why: 'closed' })
    limit.addEventListener('abort', stop, { once: true })
    if (limit.aborted) stop()
    else client.connect()
    const end = await Promise.race([ready.promise.then(() => null), ended.promise])
    limit.removeEventListener('abort', stop)
    return end === null ? { session } : { end }
  })
}

async function createClient(options: SessionOptions, hide: (words: string) => string): Promise<WSClient> {
  const sdk = await import('@wecom/aibot-node-sdk') // only a service that uses WeCom pays for it
  return new sdk.WSClient({
    botId: options.credentials.bot_id,
    secret: options.credentials.secret,
    wsUrl: options.url,
    maxReconnectAttempts: 0, // the supervisor decides
    maxAuthFailureAttempts: 0,
    heartbeatInterval: NO_HEARTBEAT_MS,
    logger: quietLogger(options.io, hide),
    wsOptions: { maxPayload: FRAME_BYTES, handshakeTimeout: SUBSCRIBE_MS },
  })
}

/** The library's last word when not even an attempt could be made. */
const GAVE_UP = 'WS_RECONNECT_EXHAUSTED'

interface Hooks {
  close(end?: SessionEnd): void
  ready(): void
  hide(words: string): string
}

function listen(client: WSClient, onFrame: SessionOptions['onFrame'], { close, ready, hide }: Hooks): void {
  let problem: string | null = null
  client.on('authenticated', ready)
  client.on('message', onFrame)
  client.on('event', onFrame)
  client.on('event.disconnected_event', () => close({ why: 'taken_over' }))
  client.on('error', (error: Error) => {
    const refused = /^Authentication failed: ([^]*) \(code: (-?\d+)\)$/.exec(error.message)
    if (refused) close({ why: 'refused', errcode: Number(refused[2]), errmsg: hide(refused[1] ?? '') })
    else if ('code' in error && error.code === GAVE_UP) close({ why: 'lost', detail: problem ?? "couldn't connect" })
    else problem = hide(describeSdkError(error))
  })
  client.on('disconnected', (reason: string) => {
    if (reason.startsWith('New connection established')) close({ why: 'taken_over' })
    else close({ why: 'lost', detail: problem ?? hide(reason) })
  })
}

/** The library's own errors have words without an address. */
const describeSdkError = (error: Error): string => ('code' in error ? describeNetworkError(error) : error.message)

/** Logs only the library's warnings and errors: its debug lines contain messages. */
function quietLogger({ log }: PlatformIo, hide: (words: string) => string): Logger {
  const silent = (): void => undefined
  const say = (message: string): void => log.debug('WeCom SDK', { says: hide(message) })
  return { debug: silent, info: silent, warn: say, error: say }
}

interface Frame {
  readonly cmd: string
  readonly reqId: string
  readonly body: Readonly<Record<string, unknown>> | null
}

async function call(
  client: WSClient,
  { cmd, reqId, body }: Frame,
  signal: AbortSignal,
  hide: (words: string) => string,
): Promise<Answer> {
  if (signal.aborted) return failed({ kind: 'unsent', detail: 'cancelled before it was sent' })
  const content = (body ?? undefined) as Record<string, unknown> // a ping has none; the library only serializes it
  const answered = client.reply({ headers: { req_id: reqId } }, content, cmd).then(
    (frame): Answer => ({ ok: true, body: object(frame.body) ?? {} }),
    (thrown: unknown): Answer => failed(toWecomFailure(thrown, hide)),
  )
  const answer = await raceAbort(answered, signal)
  return answer ?? failed({ kind: 'unanswered', detail: 'cancelled before a response arrived' })
}

/** The library throws the response itself for a refusal, and an `Error` for everything else. */
function toWecomFailure(thrown: unknown, hide: (words: string) => string): WecomFailure {
  if (!(thrown instanceof Error)) {
    const errcode = integer(object(thrown)?.['errcode'])
    const errmsg = hide(text(object(thrown)?.['errmsg']) ?? '')
    if (errcode !== undefined) return { kind: 'answer', errcode, errmsg }
    return { kind: 'unanswered', detail: 'the response is malformed' }
  }
  const unsent = /not connected, unable to send|exceeds max size/.test(thrown.message)
  if (unsent) return { kind: 'unsent', detail: 'not connected' }
  const late = thrown.message.startsWith('Reply ack timeout')
  return {
    kind: 'unanswered',
    detail: late ? 'no response within 5 s' : 'the connection closed before a response arrived',
  }
}
