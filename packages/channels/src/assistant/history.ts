import { cutText } from './answer-limit.ts'
import type { TurnMessage } from './assistant.ts'
import type { AssistantLimits } from './settings.ts'

/** How much of a conversation is shown to an assistant, the messages to answer included. */
export type HistoryBudget = Pick<AssistantLimits, 'historyMessages' | 'historyCharacters'>

/**
 * The newest of `messages` (oldest first) that fit. The `user` messages at the end, which are to be answered, are all
 * kept; if these alone are too long, the last ones are cut with a note. What is kept does not begin with an assistant's
 * message, whose question would be missing.
 */
export function withinBudget(messages: readonly TurnMessage[], budget: HistoryBudget): readonly TurnMessage[] {
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

/** Gives each message what the ones before it have left. */
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
  return `${kept}… (${text.length - kept.length} more characters were left out)`
}
