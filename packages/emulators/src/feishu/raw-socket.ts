import { once } from 'node:events'
import { WebSocket } from 'ws'
import { isRecord, parseJson } from '../kit/body.ts'
import { type Bench, dataOf } from './bench.ts'
import { decodeFrame, encodeFrame, type Frame, headerOf } from './frame.ts'

/** A client of the long connection that does only what it is told. */
export interface RawSocket extends Disposable {
  /** The next frame. */
  next(): Promise<Frame>
  /** The next frame, and its payload as the event that it is. */
  nextEvent(): Promise<{ readonly frame: Frame; readonly eventId: unknown; readonly messageId: unknown }>
  acknowledge(frame: Frame, code?: number): void
  ping(): void
  sendRaw(data: Buffer | string): void
  /** Resolves with the code when the server closes it. */
  readonly closed: Promise<number>
}

/** Asks for an address and opens it. */
export async function openRaw(bench: Bench): Promise<RawSocket> {
  return openAt(
    String(dataOf(await bench.post('/callback/ws/endpoint', { AppID: bench.appId, AppSecret: bench.secret }))['URL']),
  )
}

/** @param url As discovery gave it. */
export async function openAt(url: string): Promise<RawSocket> {
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

/** What a frame says it is. */
export const typeOf = (frame: Frame): string | undefined => headerOf(frame, 'type')
