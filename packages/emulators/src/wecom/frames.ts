import { isRecord, parseJson } from '../kit/http.ts'
import type { FrameCall } from './call.ts'
import { type WecomFault, WecomFailure } from './faults.ts'
import { respondMessage, respondWelcome, sendMessage, updateCard } from './replies.ts'
import type { Connection, WecomState } from './state.ts'
import { uploadChunk, uploadFinish, uploadInit } from './media.ts'

type Fields = Readonly<Record<string, unknown>>

/** Performs a command and returns the `body` of its ack, if any. @throws {WecomFailure} */
type Command = (call: FrameCall) => Fields | undefined

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

const FRAME_FAULTS: ReadonlySet<string> = new Set(['drop_before', 'drop_after', 'hang', 'slow', 'error', 'swallow_ack'])

/** Handles a frame and sends its ack. */
export async function handleFrame(state: WecomState, connection: Connection, raw: string): Promise<void> {
  const frame = parseJson(raw)
  const { cmd, headers, body } = isRecord(frame) ? frame : {}
  const method = typeof cmd === 'string' ? cmd : ''
  const reqId = isRecord(headers) && typeof headers['req_id'] === 'string' ? headers['req_id'] : ''
  const fields = isRecord(body) ? body : {}
  const record = state.chatStore.recordRequest({
    method,
    target: 'socket',
    headers: { req_id: reqId },
    body: JSON.stringify(body ?? null, shorten),
  })
  const call = { state, connection, reqId, body: fields }
  const fault = state.faults.take(
    method,
    findChatId(call),
    (spec) => FRAME_FAULTS.has(spec.kind) && appliesTo(spec, method),
  )
  if (fault?.kind === 'drop_before') return connection.socket.terminate()
  if (fault?.kind === 'hang') return
  const answer = fault?.kind === 'error' ? toErrorAnswer(toFailure(fault)) : run(call, method)
  if (fault?.kind === 'drop_after') return connection.socket.terminate()
  if (fault?.kind === 'swallow_ack') return
  if (fault?.kind === 'slow') await state.clock.sleep(fault.ms, connection.gone.signal)
  if (connection.socket.readyState !== connection.socket.OPEN) return
  record(200)
  connection.socket.send(JSON.stringify({ headers: { req_id: reqId }, ...answer }))
}

/** Replaces the content of an uploaded chunk with its size. */
const shorten = (name: string, value: unknown): unknown =>
  name === 'base64_data' && typeof value === 'string' ? `${Buffer.byteLength(value, 'base64')} bytes` : value

function run(call: FrameCall, method: string): Fields {
  try {
    const command = Object.hasOwn(COMMANDS, method) ? COMMANDS[method] : undefined
    if (command === undefined) throw new WecomFailure(40058, 'unknown cmd')
    if (method !== 'aibot_subscribe' && call.state.live !== call.connection) throw new WecomFailure(846609)
    const body = command(call)
    return { errcode: 0, errmsg: 'ok', ...(body && { body }) }
  } catch (error) {
    if (error instanceof WecomFailure) return toErrorAnswer(error)
    throw error
  }
}

/** Only one connection per bot is live: a new one ends the previous one. */
function subscribe({ state, connection, body }: FrameCall): undefined {
  if (body['bot_id'] !== state.bot.id) throw new WecomFailure(93019)
  if (body['secret'] !== state.bot.secret || state.bot.revoked) throw new WecomFailure(853000)
  if (state.live !== null && state.live !== connection) disconnectLive(state)
  state.live = connection
}

/** Ends the live connection the way a newer one does. */
export function disconnectLive(state: WecomState): void {
  const old = state.live
  if (old === null) throw new RangeError('No bot is connected')
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

/** Returns the chat id that a frame refers to, if any. */
function findChatId({ state, reqId, body }: FrameCall): string | undefined {
  if (typeof body['chatid'] === 'string') return body['chatid']
  return state.callbacks.get(reqId)?.chatId
}

/** A fault for "the next call" doesn't apply to heartbeats, which come at any time. */
const appliesTo = (spec: WecomFault, method: string): boolean => method !== 'ping' || spec.method === 'ping'

const toFailure = ({ code, message }: { readonly code: number; readonly message?: string }): WecomFailure =>
  new WecomFailure(code, message)

const toErrorAnswer = ({ code, message }: WecomFailure): Fields => ({ errcode: code, errmsg: message })
