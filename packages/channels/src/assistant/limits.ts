import type { TurnMessage, AssistantPiece } from './assistant.ts'
import type { AssistantLimits } from './settings.ts'

/** How much of a conversation is passed to an assistant, including the messages to answer. */
export type HistoryBudget = Pick<AssistantLimits, 'historyMessages' | 'historyCharacters'>

/**
 * Returns the newest of `messages` (oldest first) that fit. The trailing `user` messages are the ones to answer and are
 * all kept; if they alone are too long, the last ones are cut off with a note. The result never starts with an
 * assistant's message, whose question would be missing.
 */
export function trimToBudget(messages: readonly TurnMessage[], budget: HistoryBudget): readonly TurnMessage[] {
  const answerFrom = messages.findLastIndex(({ role }) => role === 'assistant') + 1
  const { cut, left } = cutTogether(messages.slice(answerFrom), budget.historyCharacters)

  let from = answerFrom
  let characters = left
  let room = budget.historyMessages - cut.length
  for (const message of messages.slice(0, answerFrom).toReversed()) {
    characters -= length(message)
    room -= 1
    if (characters < 0 || room < 0) break
    from -= 1
  }
  const before = messages.slice(from, answerFrom)
  const firstQuestion = before.findIndex(({ role }) => role === 'user')
  return firstQuestion === -1 ? cut : [...before.slice(firstQuestion), ...cut]
}

const length = ({ text, quoted = '' }: TurnMessage): number => text.length + quoted.length

/** Cuts the messages to a common budget, spent from the first to the last. */
function cutTogether(
  messages: readonly TurnMessage[],
  characters: number,
): { readonly cut: readonly TurnMessage[]; readonly left: number } {
  let left = characters
  const cut = messages.map((message): TurnMessage => {
    if (length(message) <= left) {
      left -= length(message)
      return message
    }
    const text = shorten(message.text, left)
    left = Math.max(0, left - message.text.length)
    if (message.quoted === undefined) return { ...message, text }
    const quoted = shorten(message.quoted, left)
    left = Math.max(0, left - message.quoted.length)
    return { ...message, text, quoted }
  })
  return { cut, left }
}

function shorten(text: string, max: number): string {
  if (text.length <= max) return text
  const kept = cutText(text, max)
  return `${kept}… (${text.length - kept.length} more characters omitted)`
}

/** Most files of one reply; further ones are omitted with a note. */
const MAX_ANSWER_FILES = 10

/**
 * Passes on a reply of up to `maxCharacters` (UTF-16) of text and `MAX_ANSWER_FILES` files. A longer text is cut off with
 * a note, and the source is not read further. Empty pieces are dropped.
 */
export async function* limitReply(
  pieces: AsyncIterable<AssistantPiece>,
  maxCharacters: number,
): AsyncGenerator<AssistantPiece> {
  let text = ''
  let files = 0
  for await (const piece of pieces) {
    if (piece.type === 'file') {
      files += 1
      if (files <= MAX_ANSWER_FILES) yield piece
    } else if (text.length + piece.text.length <= maxCharacters) {
      text += piece.text
      if (piece.text !== '') yield piece
    } else {
      const rest = cutText(piece.text, maxCharacters - text.length)
      const note = `\n\n_(Reply cut off at ${maxCharacters} characters.)_`
      yield { type: 'text', text: rest + closeFence(text + rest) + note, isCut: true }
      return
    }
  }
  if (files > MAX_ANSWER_FILES)
    yield { type: 'text', text: `\n\n_(${files - MAX_ANSWER_FILES} more files were omitted.)_`, isCut: true }
}

/** Returns the first `max` UTF-16 units of `text`, one less where a character would be cut in half. */
function cutText(text: string, max: number): string {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : Math.max(0, max))
}

/** Returns what closes a fenced block left open at the end of `markdown`, so that a note after it is not code. */
function closeFence(markdown: string): string {
  let open: string | null = null
  for (const [, fence = '', rest = ''] of markdown.matchAll(/^ {0,3}(`{3,}|~{3,})(.*)$/gm)) {
    if (open === null) open = fence
    else if (fence.startsWith(open) && rest.trim() === '') open = null
  }
  return open === null ? '' : `\n${open}`
}
