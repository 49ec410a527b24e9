import { randomInt } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import type { SocketRefusal } from '../kit/server.ts'
import { parseInnerJson, type Answer, apiError, toText } from './answer.ts'
import { type FeishuFault, appliesTo } from './faults.ts'
import { decodeFrame, encodeFrame, type Frame, findHeader } from './frame.ts'
import type { FeishuState } from './state.ts'

/** Connection settings sent to clients, in seconds. */
export interface ClientConfig {
  readonly PingInterval: number
  readonly ReconnectCount: number
  readonly ReconnectInterval: number
  readonly ReconnectNonce: number
}

/** Times of the long connection. */
export interface ConnectionTimes {
  readonly client: ClientConfig
  /** How long an event can be acknowledged, in ms. */
  readonly ackMs: number
  /** Delays before each redelivery of an unconfirmed event, in ms. */
  readonly redeliverMs: readonly number[]
}

/** An event in delivery. */
interface Outgoing {
  readonly messageId: string
  readonly chatId: string
  readonly json: Buffer
  /** Send time of each attempt, by the id in its frames. */
  readonly sentMs: Map<string, number>
  readonly confirmed: AbortController
  /** Deliver again although it was confirmed. */
  again: boolean
}

const MOST_CONNECTIONS = 50
const CONTROL = 0
const DATA = 1
const SERVICE = 33554678

/** The app's sockets, and delivery of events. */
export class LongConnection {
  readonly #state: FeishuState
  readonly #times: ConnectionTimes
  readonly #wsUrl: string
  readonly #ended: AbortSignal
  readonly #sockets = new Set<WebSocket>()
  readonly #tickets = new Set<string>()
  readonly #outgoing = new Set<Outgoing>()

  /** @param closing Aborts when the emulator closes. */
  constructor(state: FeishuState, wsUrl: string, times: ConnectionTimes, closing: AbortSignal) {
    this.#state = state
    this.#wsUrl = wsUrl
    this.#times = times
    this.#ended = closing
  }

  /** Number of open sockets. */
  get count(): number {
    return this.#sockets.size
  }

  /** Handles the discovery call. Its URL opens one socket. */
  discover(body: Readonly<Record<string, unknown>>): Answer {
    const { bot, secret } = this.#state
    if (!/^cli_[0-9a-f]{16}$/i.test(toText(body['AppID']))) return apiError(1000040346)
    if (secret === null || body['AppID'] !== bot.appId || body['AppSecret'] !== secret) return apiError(514)
    if (this.#sockets.size >= MOST_CONNECTIONS) return apiError(1000040350)
    const ticket = this.#state.newId('')
    this.#tickets.add(ticket)
    // clients parse the whole URL as a query, so they lose the first parameter
    const query = `fpid=493&aid=552564&device_id=${this.#state.newNumber()}&access_key=${ticket}&service_id=${SERVICE}`
    return {
      status: 200,
      body: { code: 0, msg: '', data: { URL: `${this.#wsUrl}/ws/v2?${query}`, ClientConfig: this.#times.client } },
    }
  }

  /** Accepts a socket with a valid, unused ticket. */
  admit(request: IncomingMessage): SocketRefusal | null {
    const ticket = new URL(request.url ?? '/', 'http://localhost').searchParams.get('access_key') ?? ''
    const recordStatus = this.#state.chatStore.recordRequest({
      method: 'open',
      target: `socket ${request.url ?? ''}`,
      headers: request.headers,
      body: '',
    })
    const fault = this.#takeFault('open')
    const isGood = this.#tickets.delete(ticket) && fault === null
    recordStatus(isGood ? 101 : 403)
    if (isGood) return null
    return {
      status: 403,
      headers: { 'handshake-status': '514', 'handshake-msg': 'auth failed', 'handshake-autherrcode': '1000040351' },
    }
  }

  /** Registers an accepted socket. */
  open(socket: WebSocket): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('error', () => socket.terminate())
    socket.on('message', (data: Buffer, isBinary) => {
      const frame = isBinary ? decodeFrame(data) : null
      if (frame === null) return socket.close(1002, 'not a frame')
      if (frame.method === CONTROL) return this.#answerPing(socket, frame)
      this.#handleAck(frame)
    })
  }

  /** Closes all sockets the way the platform does. */
  endAll(): void {
    this.#tickets.clear()
    for (const socket of this.#sockets) socket.close(1000, 'bye')
  }

  /** Sends an event to one of the sockets until it is confirmed or attempts run out. */
  async publish(messageId: string, chatId: string, event: unknown): Promise<void> {
    const confirmed = new AbortController()
    const json = Buffer.from(JSON.stringify(event))
    const outgoing: Outgoing = { messageId, chatId, json, sentMs: new Map(), confirmed, again: false }
    this.#outgoing.add(outgoing)
    const signal = AbortSignal.any([confirmed.signal, this.#ended])
    for (const waitMs of [...this.#times.redeliverMs, this.#times.ackMs]) {
      await this.#attempt(outgoing)
      await this.#state.clock.sleep(waitMs, signal)
      if (signal.aborted) break
    }
    if (outgoing.again && !this.#ended.aborted) await this.#attempt({ ...outgoing, confirmed: new AbortController() })
    this.#outgoing.delete(outgoing)
  }

  async #attempt(outgoing: Outgoing): Promise<void> {
    const socket = [...this.#sockets][this.#sockets.size > 0 ? randomInt(this.#sockets.size) : 0]
    if (!socket) return
    const { messageId, chatId, json } = outgoing
    const fault = this.#takeFault('event', chatId)
    if (fault?.kind === 'drop_before') return socket.terminate()
    if (fault?.kind === 'hang') return
    if (fault?.kind === 'slow') await this.#state.clock.sleep(fault.ms, this.#ended)
    if (fault?.kind === 'redeliver') outgoing.again = true
    const frameId = this.#state.newId('')
    outgoing.sentMs.set(frameId, this.#state.clock.now())
    this.#state.chatStore.recordDelivery(messageId)
    const type = fault?.kind === 'frame_type' ? fault.type : 'event'
    for (const frame of toFrames(json, frameId, type, fault?.kind === 'fragment' ? fault.parts : 1)) {
      socket.send(encodeFrame(frame))
    }
    if (fault?.kind === 'drop_after') socket.terminate()
  }

  #handleAck(frame: Frame): void {
    const payload = Buffer.from(frame.payload ?? []).toString('utf8')
    const headers = Object.fromEntries(frame.headers)
    this.#state.chatStore.recordRequest({ method: 'ack', target: 'socket', headers, body: payload }, 200)
    const frameId = findHeader(frame, 'message_id') ?? ''
    const outgoing = [...this.#outgoing].find(({ sentMs }) => sentMs.has(frameId))
    if (!outgoing) return
    const isLate = this.#state.clock.now() - (outgoing.sentMs.get(frameId) ?? 0) > this.#times.ackMs
    if (this.#takeFault('ack', outgoing.chatId) || isLate || parseInnerJson(payload)?.['code'] !== 200) return
    this.#state.chatStore.recordConfirmation(outgoing.messageId)
    outgoing.confirmed.abort()
  }

  #answerPing(socket: WebSocket, frame: Frame): void {
    this.#state.chatStore.recordRequest(
      { method: 'ping', target: 'socket', headers: Object.fromEntries(frame.headers), body: '' },
      200,
    )
    if (findHeader(frame, 'type') !== 'ping') return
    const fault = this.#takeFault('ping')
    if (fault?.kind === 'drop_before' || fault?.kind === 'drop_after') return socket.terminate()
    if (fault !== null && fault.kind !== 'incomplete_pong') return
    const settings: Partial<ClientConfig> = { ...this.#times.client }
    const kept = Object.entries(settings).filter(([name]) => name !== (fault?.missing ?? ''))
    const payload = Buffer.from(JSON.stringify(Object.fromEntries(kept)))
    socket.send(
      encodeFrame({
        seqId: 0n,
        logId: 0n,
        service: frame.service,
        method: CONTROL,
        headers: [['type', 'pong']],
        payload,
      }),
    )
  }

  #takeFault(frame: string, chatId?: string): FeishuFault | null {
    return this.#state.faults.take(frame, chatId, (fault) => appliesTo(frame, fault))
  }
}

/** Splits an event into `parts` frames. */
function toFrames(json: Buffer, frameId: string, type: string, parts: number): readonly Frame[] {
  const size = Math.ceil(json.length / parts)
  return Array.from({ length: parts }, (_, index) => ({
    seqId: 0n,
    logId: 0n,
    service: SERVICE,
    method: DATA,
    headers: [
      ['type', type],
      ['message_id', frameId],
      ['sum', String(parts)],
      ['seq', String(index)],
      ['trace_id', frameId],
    ],
    payload: json.subarray(index * size, (index + 1) * size),
  }))
}
