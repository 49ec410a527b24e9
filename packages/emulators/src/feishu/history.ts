import { type Answer, badParameter, ok, refusal } from './answer.ts'
import { itemOf } from './messages.ts'
import type { FeishuState } from './state.ts'

/** "Get chat history": the messages of a chat or thread, both sides. */
export function listMessages(state: FeishuState, query: URLSearchParams): Answer {
  const kind = query.get('container_id_type')
  const id = query.get('container_id') ?? ''
  const size = Number(query.get('page_size') ?? 20)
  if (kind !== 'chat' && kind !== 'thread') return badParameter('container_id_type')
  if (!Number.isInteger(size) || size < 1 || size > 50) return badParameter('page_size')
  const [from, to] = ['start_time', 'end_time'].map((name) => secondsOf(query.get(name)))
  if (Number.isNaN(from) || Number.isNaN(to)) return badParameter('start_time or end_time')
  if (kind === 'thread' && (from !== null || to !== null)) return badParameter('start_time or end_time')
  const offset = offsetOf(query.get('page_token') ?? '')
  if (offset === null) return badParameter('page_token')
  const inside = [...state.messages.values()].filter(
    ({ chatId, threadId }) => (kind === 'chat' ? chatId : threadId) === id,
  )
  const chat = state.chats.get(kind === 'chat' ? id : (inside[0]?.chatId ?? ''))
  if (!chat) return kind === 'chat' ? refusal(230002) : badParameter('container_id')
  if (chat.type === 'group' && !state.granted('im:message.group_msg')) return refusal(230027)
  const found = inside.filter(({ createdMs, parentId, threadId }) => {
    const seconds = Math.floor(createdMs / 1_000)
    const isReplyInThread = kind === 'chat' && threadId !== null && parentId !== null
    return !isReplyInThread && seconds >= (from ?? 0) && seconds <= (to ?? Infinity)
  })
  if (query.get('sort_type') === 'ByCreateTimeDesc') found.reverse() // a list of our own
  const page = found.slice(offset, offset + size)
  const hasMore = offset + size < found.length
  const token = Buffer.from(`page:${offset + size}`).toString('base64url')
  return ok({ has_more: hasMore, ...(hasMore && { page_token: token }), items: page.map(itemOf) })
}

/** null: not given; NaN: no number. */
function secondsOf(text: string | null): number | null {
  if (text === null || text === '') return null
  return /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
}

function offsetOf(token: string): number | null {
  if (token === '') return 0
  const offset = /^page:(\d{1,9})$/.exec(Buffer.from(token, 'base64url').toString('utf8'))?.[1]
  return offset === undefined ? null : Number(offset)
}
