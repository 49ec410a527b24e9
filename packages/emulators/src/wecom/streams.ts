import { isRecord } from '../kit/body.ts'
import { forgetOldest } from '../kit/forget-oldest.ts'
import { WecomFailure } from './faults.ts'
import type { Call } from './call.ts'
import { countSend, streamLife } from './limits.ts'
import type { Callback, Stream, WecomState } from './state.ts'
import { checkLength, isVisible } from './text.ts'

/** A frame of a stream: the first one makes the bubble, every later one replaces its text. */
export function respondStream(call: Call, callback: Callback): undefined {
  const { state, reqId, body } = call
  const { id, content, isFinal } = parse(body['stream'])
  const key = `${reqId} ${id}`
  const known = state.streams.get(key)
  if (known === undefined) countSend(state, callback.chatId)
  else checkOpen(state, known, isFinal)
  const stream = known ?? begin(state, key)
  stream.finished = isFinal
  display(state, stream, callback, content)
}

function parse(value: unknown): { readonly id: string; readonly content: string; readonly isFinal: boolean } {
  const { id, content = '', finish = false, msg_item: items } = isRecord(value) ? value : {}
  const isValid = typeof id === 'string' && id !== '' && typeof content === 'string' && typeof finish === 'boolean'
  if (!isValid) throw new WecomFailure(40058, 'invalid Request Parameter: stream')
  // documented for callbacks by URL; the text on long connections says that it is not supported yet
  if (items !== undefined) throw new WecomFailure(40058, 'invalid Request Parameter: stream.msg_item')
  if (finish && !isVisible(content)) throw new WecomFailure(40058, 'invalid Request Parameter: stream.content empty')
  return { id, content: checkLength(content), isFinal: finish }
}

function checkOpen(state: WecomState, stream: Stream, isFinal: boolean): void {
  if (stream.finished) throw new WecomFailure(isFinal ? 6000 : 846608)
  if (state.clock.now() - stream.startedMs >= streamLife(state)) throw new WecomFailure(846608)
}

function begin(state: WecomState, key: string): Stream {
  const stream = { messageId: state.nextId('B'), startedMs: state.clock.now(), finished: false, isShown: false }
  state.streams.set(key, stream)
  forgetOldest(state.streams, state.history)
  return stream
}

function display(state: WecomState, stream: Stream, callback: Callback, text: string): void {
  const { world, bot } = state
  const { messageId } = stream
  const { chatId, messageId: replyTo } = callback
  const unfinished = !stream.finished
  if (!isVisible(text)) {
    if (stream.isShown) world.remove(messageId)
    stream.isShown = false
    return world.typing(chatId, streamLife(state))
  }
  world.typing(chatId, 0)
  if (stream.isShown) world.replace(messageId, text, unfinished)
  else world.shown({ chatId, messageId, name: bot.name, text, unfinished, replyTo })
  stream.isShown = true
}
