import { once } from 'node:events'
import { WebSocket } from 'ws'
import { isRecord, parseJson } from '../kit/http.ts'
import { type FeishuEmulator, type FeishuEmulatorOptions, startFeishuEmulator } from './emulator.ts'
import { decodeFrame, encodeFrame, type Frame, findHeader } from './frame.ts'

type Json = Readonly<Record<string, unknown>>

/** An HTTP response. */
export interface WireAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
}

/** An emulator with plain HTTP calls, for tests. */
export interface Bench extends FeishuEmulator, AsyncDisposable {
  readonly appId: string
  readonly secret: string
  /** Calls a path below `/open-apis` with a valid token. */
  call(verb: string, path: string, body?: Json): Promise<WireAnswer>
  /** Posts without a token. */
  post(path: string, body: Json | URLSearchParams, headers?: Readonly<Record<string, string>>): Promise<WireAnswer>
  /** Sends a text to a chat or person and resolves to the id of the message. */
  send(to: string, text: string, more?: Json): Promise<string>
  token(): Promise<string>
}

/** Starts an emulator; disposing of the bench stops it. */
export async function openBench(options: FeishuEmulatorOptions = {}): Promise<Bench> {
  const emulator = await startFeishuEmulator(options)
  const { credentials } = await emulator.control.bot()
  const { app_id = '', app_secret = '' } = credentials
  const ask = async (url: string, init: RequestInit): Promise<WireAnswer> => {
    const response = await fetch(url, init)
    const body: unknown = await response.json()
    return { status: response.status, headers: response.headers, body: isRecord(body) ? body : {} }
  }
  const post: Bench['post'] = (path, body, headers = {}) =>
    ask(`${emulator.url}${path}`, {
      method: 'POST',
      body: body instanceof URLSearchParams ? body : JSON.stringify(body),
      headers: { ...(!(body instanceof URLSearchParams) && { 'content-type': 'application/json' }), ...headers },
    })
  const token = async (): Promise<string> => {
    const { body } = await post('/open-apis/auth/v3/tenant_access_token/internal', { app_id, app_secret })
    return String(body['tenant_access_token'])
  }
  const call: Bench['call'] = async (verb, path, body) =>
    ask(`${emulator.url}/open-apis${path}`, {
      method: verb,
      headers: { authorization: `Bearer ${await token()}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
  return {
    ...emulator,
    appId: app_id,
    secret: app_secret,
    post,
    token,
    call,
    async send(to, text, more = {}) {
      const idType = to.startsWith('ou_') ? 'open_id' : 'chat_id'
      const body = { receive_id: to, msg_type: 'text', content: JSON.stringify({ text }), ...more }
      const answer = await call('POST', `/im/v1/messages?receive_id_type=${idType}`, body)
      return getMessageId(answer)
    },
    [Symbol.asyncDispose]: () => emulator.close(),
  }
}

/** Returns the id of a sent message. @throws {Error} with the error response */
export function getMessageId({ body }: WireAnswer): string {
  const data = body['data']
  if (!isRecord(data) || typeof data['message_id'] !== 'string') throw new Error(JSON.stringify(body))
  return data['message_id']
}

/** Returns `data` of a response. @throws {Error} with the error response */
export function getData({ body }: WireAnswer): Json {
  if (body['code'] !== 0 || !isRecord(body['data'])) throw new Error(JSON.stringify(body))
  return body['data']
}

/** A plain client of the long connection. */
interface RawSocket extends Disposable {
  /** Resolves to the next frame. */
  next(): Promise<Frame>
  /** Resolves to the next frame and the ids of its event. */
  nextEvent(): Promise<{ readonly frame: Frame; readonly eventId: unknown; readonly messageId: unknown }>
  acknowledge(frame: Frame, code?: number): void
  ping(): void
  sendRaw(data: Buffer | string): void
  /** Resolves to the close code. */
  readonly closed: Promise<number>
}

/** Requests an address and opens it. */
export async function openRawSocket(bench: Bench): Promise<RawSocket> {
  return openRawSocketAt(
    String(getData(await bench.post('/callback/ws/endpoint', { AppID: bench.appId, AppSecret: bench.secret }))['URL']),
  )
}

/** Opens a socket. @param url From the discovery call. */
export async function openRawSocketAt(url: string): Promise<RawSocket> {
  const socket = new WebSocket(url)
  const frames: Frame[] = []
  const waiting: ((frame: Frame) => void)[] = []
  socket.on('message', (data: Buffer) => {
    const frame = decodeFrame(data)
    if (frame === null) throw new Error('not a frame')
    const take = waiting.shift()
    if (take) take(frame)
    else frames.push(frame)
  })
  const closed = new Promise<number>((resolve) => socket.once('close', (code: number) => resolve(code)))
  await once(socket, 'open')
  const next = (): Promise<Frame> => {
    const frame = frames.shift()
    return frame ? Promise.resolve(frame) : new Promise((resolve) => waiting.push(resolve))
  }
  return {
    next,
    closed,
    async nextEvent() {
      const frame = await next()
      const event = parseJson(Buffer.from(frame.payload ?? []).toString('utf8'))
      const inner = isRecord(event) && isRecord(event['event']) ? event['event'] : {}
      const message = isRecord(inner['message']) ? inner['message'] : {}
      const header = isRecord(event) && isRecord(event['header']) ? event['header'] : {}
      return { frame, eventId: header['event_id'], messageId: message['message_id'] }
    },
    acknowledge(frame, code = 200) {
      const payload = Buffer.from(JSON.stringify({ code }))
      socket.send(encodeFrame({ ...frame, headers: [...frame.headers, ['biz_rt', '1']], payload }))
    },
    ping: () =>
      socket.send(
        encodeFrame({ seqId: 0n, logId: 0n, service: 1, method: 0, headers: [['type', 'ping']], payload: null }),
      ),
    sendRaw: (data) => socket.send(data),
    [Symbol.dispose]: () => socket.terminate(),
  }
}

/** Returns the header `type` of a frame. */
export const getFrameType = (frame: Frame): string | undefined => findHeader(frame, 'type')
