import { WebSocket } from 'ws'
import { isRecord, parseJson } from '../kit/http.ts'
import { type DingtalkEmulator, type DingtalkEmulatorOptions, startDingtalkEmulator } from './emulator.ts'
import { BOT_MESSAGES } from './stream.ts'

type Fields = Readonly<Record<string, unknown>>

/** An HTTP response. */
export interface Answer {
  readonly status: number
  readonly body: Fields
}

/** A frame of the platform, with parsed `data`. */
export interface Frame {
  readonly type: string
  readonly topic: string
  readonly id: string
  readonly data: Fields
}

/** A socket of the app. */
export interface AppSocket {
  /** Resolves to the next frame, skipping CONNECTED and REGISTERED. */
  next(): Promise<Frame>
  /** Number of frames not yet read. */
  readonly waiting: number
  answer(frame: Frame, code?: number): void
  readonly socket: WebSocket
  readonly closed: Promise<number>
}

/** An emulator, and an app that uses plain HTTP and sockets. */
export interface Bench extends DingtalkEmulator, AsyncDisposable {
  call(verb: string, path: string, body?: Fields | null, headers?: Readonly<Record<string, string>>): Promise<Answer>
  /** Calls the new API with a new token. */
  api(verb: string, path: string, body: Fields): Promise<Answer>
  ticket(): Promise<string>
  connect(): Promise<AppSocket>
}

/** Client id and robot code of the emulator's app. */
export const ROBOT = 'dinggatepostemulator'

/** Starts an emulator; disposing of it also closes the app's sockets. */
export async function openBench(options: DingtalkEmulatorOptions = {}): Promise<Bench> {
  const emulator = await startDingtalkEmulator(options)
  const { url, control } = emulator
  const sockets: WebSocket[] = []
  const call: Bench['call'] = async (verb, path, body = null, headers = {}) => {
    const response = await fetch(path.startsWith('http') ? path : `${url}${path}`, {
      method: verb,
      headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    const parsed = parseJson(await response.text())
    return { status: response.status, body: isRecord(parsed) ? parsed : {} }
  }
  const credentials = async (): Promise<Fields> => (await control.bot()).credentials
  const ticket = async (): Promise<string> => {
    const { client_id: clientId, client_secret: clientSecret } = await credentials()
    const subscriptions = [{ type: 'CALLBACK', topic: BOT_MESSAGES }]
    const { body } = await call('POST', '/v1.0/gateway/connections/open', { clientId, clientSecret, subscriptions })
    return String(body['ticket'])
  }
  return {
    ...emulator,
    call,
    ticket,
    async api(verb, path, body) {
      const { client_id: appKey, client_secret: appSecret } = await credentials()
      const { body: token } = await call('POST', '/v1.0/oauth2/accessToken', { appKey, appSecret })
      return call(verb, path, body, { 'x-acs-dingtalk-access-token': String(token['accessToken']) })
    },
    async connect() {
      const address = `${url.replace('http', 'ws')}/connect?ticket=${encodeURIComponent(await ticket())}`
      const socket = new WebSocket(address)
      sockets.push(socket)
      return appSocket(socket)
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.terminate()
      await emulator.close()
    },
  }
}

async function appSocket(socket: WebSocket): Promise<AppSocket> {
  const frames: Frame[] = []
  let wake: () => void = () => undefined
  socket.on('message', (raw: Buffer) => {
    const frame = readFrame(raw)
    if (frame.topic === 'CONNECTED' || frame.topic === 'REGISTERED') return
    frames.push(frame)
    wake()
  })
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  return {
    socket,
    closed,
    get waiting() {
      return frames.length
    },
    async next() {
      for (let frame = frames.shift(); ; frame = frames.shift()) {
        if (frame) return frame
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
    answer({ id }, code = 200) {
      const headers = { messageId: id, contentType: 'application/json' }
      socket.send(JSON.stringify({ code, message: 'OK', headers, data: '{"response":null}' }))
    },
  }
}

function readFrame(raw: Buffer): Frame {
  const frame = parseJson(raw.toString('utf8'))
  if (!isRecord(frame) || !isRecord(frame['headers'])) throw new Error(`no frame: ${raw.toString('utf8')}`)
  const data = parseJson(String(frame['data']))
  return {
    type: String(frame['type']),
    topic: String(frame['headers']['topic']),
    id: String(frame['headers']['messageId']),
    data: isRecord(data) ? data : {},
  }
}
