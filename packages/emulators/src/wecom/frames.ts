import { isRecord, parseJson } from '../kit/http.ts'
import type { Call } from './call.ts'
import { type WecomFault, WecomFailure } from './faults.ts'
import { respondMessage, respondWelcome, sendMessage, updateCard } from './replies.ts'
import type { Connection, WecomState } from './state.ts'
import { uploadChunk, uploadFinish, uploadInit } from './media.ts'

type Fields = Readonly<Record<string, unknown>>

/** @returns the `body` of the ack, if it has one. @throws {WecomFailure} */
type Command = (call: Call) => Fields | undefined

const COMMANDS: Readonly<Record<string, Command>> = {
  aibot_subscribe: subscribe,
  ping: () => undefined,
  aibot_respond_msg: respondMessage,
  aibot_respond_welcome_msg: respondWelcome,
  aibot_respond_update_msg: updateCard,
  aibot_send_msg: sendMessage,
  aibot_upload_media_init: uploadInit,
  aibot_upload_media_chunk: uploadChunk,
  aibot_upload_media_finish: uploadFinish,
}

const OF_FRAMES: ReadonlySet<string> = new Set(['drop_before', 'drop_after', 'hang', 'slow', 'error', 'swallow_ack'])

/** Answers one frame. */
export async function receive(state: WecomState, connection: Connection, raw: string): Promise<void> {
  const frame = parseJson(raw)
  const { cmd, headers, body } = isRecord(frame) ? frame : {}
  const method = typeof cmd === 'string' ? cmd : ''
  const reqId = isRecord(headers) && typeof headers['req_id'] === 'string' ? headers['req_id'] : ''
  const fields = isRecord(body) ? body : {}
  const record = state.world.request({
    method,
    target: 'socket',
    headers: { req_id: reqId },
    body: JSON.stringify(body ?? null, shorten),
  })
  const call = { state, connection, reqId, body: fields }
  const fault = state.faults.take(method, chatOf(call), (spec) => OF_FRAMES.has(spec.kind) && isAimed(spec, method))
  if (fault?.kind === 'drop_before') return connection.socket.terminate()
  if (fault?.kind === 'hang') return
  const answer = fault?.kind === 'error' ? failureAnswer(failureOf(fault)) : run(call, method)
  if (fault?.kind === 'drop_after') return connection.socket.terminate()
  if (fault?.kind === 'swallow_ack') return
  if (fault?.kind === 'slow') await state.clock.sleep(fault.ms, connection.gone.signal)
  if (connection.socket.readyState !== connection.socket.OPEN) return
  record(200)
  connection.socket.send(JSON.stringify({ headers: { req_id: reqId }, ...answer }))
}

/** Of a piece of a file only its size is kept. */
const shorten = (name: string, value: unknown): unknown =>
  name === 'base64_data' && typeof value === 'string' ? `${Buffer.byteLength(value, 'base64')} bytes` : value

function run(call: Call, method: string): Fields {
  try {
    const command = Object.hasOwn(COMMANDS, method) ? COMMANDS[method] : undefined
    if (command === undefined) throw new WecomFailure(40058, 'unknown cmd')
    if (method !== 'aibot_subscribe' && call.state.live !== call.connection) throw new WecomFailure(846609)
    const body = command(call)
    return { errcode: 0, errmsg: 'ok', ...(body && { body }) }
  } catch (error) {
    if (error instanceof WecomFailure) return failureAnswer(error)
    throw error
  }
}

/** Exactly one connection of a bot lives: a new one ends the old. */
function subscribe({ state, connection, body }: Call): undefined {
  if (body['bot_id'] !== state.bot.id) throw new WecomFailure(93019)
  if (body['secret'] !== state.bot.secret || state.bot.revoked) throw new WecomFailure(853000)
  if (state.live !== null && state.live !== connection) kick(state)
  state.live = connection
}

/** Ends the live connection as for a newer one. */
export function kick(state: WecomState): void {
  const old = state.live
  if (old === null) throw new RangeError('No connection is subscribed')
  state.live = null
  const body = {
    msgid: state.nextId('E'),
    create_time: Math.floor(state.clock.now() / 1000),
    aibotid: state.bot.id,
    msgtype: 'event',
    event: { eventtype: 'disconnected_event' },
  }
  old.socket.send(JSON.stringify({ cmd: 'aibot_event_callback', headers: { req_id: state.nextId('R') }, body }))
  old.socket.close()
}

/** The chat that a frame is about, as far as it says. */
function chatOf({ state, reqId, body }: Call): string | undefined {
  if (typeof body['chatid'] === 'string') return body['chatid']
  return state.callbacks.get(reqId)?.chatId
}

/** A heartbeat comes at any time: a fault for "the next call" does not mean it. */
const isAimed = (spec: WecomFault, method: string): boolean => method !== 'ping' || spec.method === 'ping'

const failureOf = ({ code, message }: { readonly code: number; readonly message?: string }): WecomFailure =>
  new WecomFailure(code, message)

const failureAnswer = ({ code, message }: WecomFailure): Fields => ({ errcode: code, errmsg: message })
