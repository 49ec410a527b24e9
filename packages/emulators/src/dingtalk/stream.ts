import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import { isRecord, parseJson } from '../kit/http.ts'
import type { SocketRefusal } from '../kit/server.ts'
import { evictOldest } from '../kit/bounded-log.ts'
import { DingtalkFailure } from './faults.ts'
import { type ApiCall, jsonReply, type Reply } from './call.ts'
import type { Connection, DingtalkState, PushedEvent } from './state.ts'

type Fields = Readonly<Record<string, unknown>>
type FrameType = 'SYSTEM' | 'EVENT' | 'CALLBACK'

/** Topic of messages to robots. */
export const BOT_MESSAGES = '/v1.0/im/bot/messages/get'

/** Handles `POST /v1.0/gateway/connections/open`: issues a ticket for one connection. */
export function openTicket({ state, fields }: ApiCall): Reply {
  const { clientId, clientSecret, subscriptions } = fields
  const areCredentialsValid = clientId === state.bot.id && clientSecret === state.bot.secret && !state.bot.revoked
  if (!areCredentialsValid) throw new DingtalkFailure('authFailed')
  const requested = Array.isArray(subscriptions) ? subscriptions.filter(isRecord) : []
  const topics = new Set(requested.map(({ topic }) => String(topic)))
  if (topics.size === 0) throw new DingtalkFailure('invalidParameter', 'subscriptions is empty')
  // it holds what a URL does not deliverFrame as it is
  const ticket = `${state.nextId('t+/')}==`
  state.tickets.set(ticket, { untilMs: state.clock.now() + state.times.ticketLifeMs, topics })
  evictOldest(state.tickets, 1_000)
  return jsonReply({ endpoint: `${state.url.replace('http', 'ws')}/connect`, ticket })
}

/** Accepts a socket with a valid, unused ticket. */
export function admit(state: DingtalkState, request: IncomingMessage): SocketRefusal | null {
  const target = `GET ${request.url}`
  const record = state.chatStore.recordRequest({ method: 'connect', target, headers: request.headers, body: '' })
  const kinds: ReadonlySet<string> = new Set(['bad_gateway', 'server_error', 'expired_ticket'])
  const fault = state.faults.take('connect', undefined, ({ kind }) => kinds.has(kind))
  const address = URL.parse(request.url ?? '/', state.url)
  const ticket = state.tickets.get(address?.searchParams.get('ticket') ?? '')
  const isTicketValid = ticket !== undefined && ticket.untilMs > state.clock.now() && fault?.kind !== 'expired_ticket'
  const status = findRefusalStatus(fault, address?.pathname, isTicketValid)
  record(status ?? 101)
  return status === null ? null : { status }
}

function findRefusalStatus(
  fault: { readonly kind: string; readonly status?: number } | null,
  path: string | undefined,
  isTicketValid: boolean,
) {
  if (fault?.kind === 'bad_gateway') return 502
  if (fault?.kind === 'server_error') return fault.status ?? 500
  if (path !== '/connect') return 404
  return isTicketValid ? null : 401
}

/** Registers an accepted socket and uses up its ticket. */
export function open(state: DingtalkState, socket: WebSocket, request: IncomingMessage): void {
  const ticket = URL.parse(request.url ?? '/', state.url)?.searchParams.get('ticket') ?? ''
  const topics = state.tickets.get(ticket)?.topics ?? new Set<string>()
  state.tickets.delete(ticket)
  const id = state.nextId('conn')
  const connection = { socket, id, topics, gone: new AbortController(), isSilent: false, isLeaving: false }
  state.connections.add(connection)
  socket.on('error', () => socket.terminate())
  socket.on('close', () => {
    state.connections.delete(connection)
    connection.gone.abort()
  })
  socket.on('message', (data: Buffer) => receiveAnswer(state, connection, data.toString('utf8')))
  sendSystemFrame(state, connection, 'CONNECTED', {})
  sendSystemFrame(state, connection, 'REGISTERED', {})
  void keepPinging(state, connection)
  state.arrival.abort()
  state.arrival = new AbortController()
}

/** Delivers an event until it is confirmed, each time with a new frame id. The first delivery is synchronous. */
export async function deliverEvent(state: DingtalkState, event: PushedEvent): Promise<void> {
  const { clock, times, closing } = state
  const untilMs = event.bornMs + times.replayMs
  for (let delivery = 0; clock.now() < untilMs; ) {
    const connection = pickConnection(state, event)
    if (connection === null) {
      const woken = AbortSignal.any([state.arrival.signal, closing.signal])
      await clock.sleep(untilMs - clock.now(), woken)
    } else {
      deliverFrame(state, connection, event)
      const wait = times.redeliveryMs[Math.min(delivery, times.redeliveryMs.length - 1)] ?? untilMs
      delivery += 1
      await clock.sleep(wait, AbortSignal.any([event.confirmed.signal, closing.signal]))
    }
    if (closing.signal.aborted || event.confirmed.signal.aborted) return
  }
}

/** Picks connections in turn. Silent ones come last: the platform can't see that they are dead. */
function pickConnection(state: DingtalkState, event: PushedEvent): Connection | null {
  const subscribed = [...state.connections].filter(({ topics, isLeaving }) => topics.has(event.topic) && !isLeaving)
  const responsive = subscribed.filter(({ isSilent }) => !isSilent)
  const candidates = responsive.length > 0 ? responsive : subscribed
  return candidates[state.turns++ % Math.max(1, candidates.length)] ?? null
}

function deliverFrame(state: DingtalkState, connection: Connection, event: PushedEvent): void {
  const frameId = state.nextId('frame')
  state.frames.set(frameId, event)
  evictOldest(state.frames, state.history)
  state.chatStore.recordDelivery(event.messageId)
  sendFrame(state, connection, 'CALLBACK', { topic: event.topic, messageId: frameId }, event.data)
}

function sendFrame(
  state: DingtalkState,
  connection: Connection,
  type: FrameType,
  headers: { readonly topic: string; readonly messageId: string },
  data: Fields,
): void {
  if (connection.isSilent || connection.socket.readyState !== connection.socket.OPEN) return
  const frame = {
    specVersion: '1.0',
    type,
    headers: {
      ...headers,
      contentType: 'application/json',
      time: String(state.clock.now()),
      appId: state.bot.id,
      connectionId: connection.id,
    },
    data: JSON.stringify(data),
  }
  connection.socket.send(JSON.stringify(frame))
}

function sendSystemFrame(state: DingtalkState, connection: Connection, topic: string, data: Fields) {
  sendFrame(state, connection, 'SYSTEM', { topic, messageId: state.nextId('frame') }, data)
}

/** Handles an answer of the app. */
function receiveAnswer(state: DingtalkState, connection: Connection, raw: string): void {
  if (connection.isSilent) return
  const answer = parseJson(raw)
  const headers = isRecord(answer) && isRecord(answer['headers']) ? answer['headers'] : {}
  const event = state.frames.get(String(headers['messageId']))
  const method = event === undefined ? 'stream.other' : 'stream.answer'
  const record = state.chatStore.recordRequest({ method, target: 'socket', headers: {}, body: raw })
  const code = isRecord(answer) ? answer['code'] : undefined
  const fault =
    event === undefined
      ? null
      : state.faults.take(method, undefined, (spec) => spec.kind === 'lose_answer' || spec.method === method)
  if (fault?.kind === 'drop_before') return connection.socket.terminate()
  if (fault?.kind === 'lose_answer') return
  if (event !== undefined && code === 200) {
    state.chatStore.recordConfirmation(event.messageId)
    event.confirmed.abort()
  }
  if (fault?.kind === 'drop_after') return connection.socket.terminate()
  record(200)
}

async function keepPinging(state: DingtalkState, connection: Connection): Promise<void> {
  const over = AbortSignal.any([connection.gone.signal, state.closing.signal])
  for (;;) {
    await state.clock.sleep(state.times.pingMs, over)
    if (over.aborted) return
    sendSystemFrame(state, connection, 'ping', { opaque: state.nextId('opaque') })
  }
}

/** Sends a frame to every connection, once. */
export function broadcast(state: DingtalkState, type: FrameType, topic: string, data: Fields): void {
  for (const connection of state.connections) {
    sendFrame(state, connection, type, { topic, messageId: state.nextId('frame') }, data)
  }
}

/** Asks every app to reconnect, and closes its connection some time later. */
export function disconnect(state: DingtalkState): void {
  for (const connection of state.connections) {
    if (connection.isLeaving) continue
    sendSystemFrame(state, connection, 'disconnect', { reason: 'connection is expired' })
    connection.isLeaving = true
    void state.clock
      .sleep(state.times.disconnectMs, AbortSignal.any([connection.gone.signal, state.closing.signal]))
      .then(() => connection.socket.close())
  }
}

/** Makes every connection half-open: nothing passes, and pings go unanswered. */
export function silenceConnections(state: DingtalkState): void {
  for (const connection of state.connections) {
    connection.isSilent = true
    connection.socket.pause()
  }
}
