import { type Json, list, object, text } from '../wire/json.ts'
import { idOf } from './snowflake.ts'

/** Whom a message can be meant for. */
export interface Bot {
  readonly id: string
  readonly name: string
}

/** Longest text that is taken, in UTF-16 units: far above what Discord allows a person to write. */
const TEXT_MAX = 16_384

/** Whether the bot is mentioned: itself, or by the role that Discord made for it. */
export const mentionsBot = (message: Json, bot: Bot, role: string | null): boolean =>
  list(message['mentions']).some((user) => object(user)?.['id'] === bot.id) ||
  (role !== null && list(message['mention_roles']).includes(role)) ||
  new RegExp(`<@!?${bot.id}>`).test(text(message['content']) ?? '')

/** The text as people see it, without the mentions of the bot. `null` when it is no text. */
export function readableText(message: Json, bot: Bot, role: string | null): string | null {
  const content = message['content'] ?? ''
  if (typeof content !== 'string' || content.length > TEXT_MAX) return null
  const names = namesIn(message)
  const shown = content
    .replaceAll(/<@!?(\d{1,20})> ?/g, (mention, id: string) => {
      if (id === bot.id) return ''
      const name = names.get(id)
      return name === undefined ? mention : `@${name}${mention.endsWith(' ') ? ' ' : ''}`
    })
    .replaceAll(/<@&(\d{1,20})> ?/g, (mention, id: string) => (id === role ? '' : mention))
    .replaceAll(/<a?(:\w{1,64}:)\d{1,20}>/g, '$1')
    .replaceAll(/<(\/[^:>]{1,128}):\d{1,20}>/g, '$1')
  return shown.trim()
}

function namesIn(message: Json): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const value of list(message['mentions']).slice(0, 100)) {
    const user = object(value)
    const id = idOf(user?.['id'])
    const name = shortText(user?.['global_name']) ?? shortText(user?.['username'])
    if (id !== undefined && name !== undefined) names.set(id, name)
  }
  return names
}

export const shortText = (value: unknown): string | undefined => {
  const words = text(value)?.slice(0, 256)
  return words === '' ? undefined : words
}

/** What a message holds besides text and files, one bracketed line each, so that the assistant knows. */
export function contentLines(message: Json): readonly string[] {
  const lines: string[] = []
  for (const value of list(message['sticker_items']).slice(0, 3)) {
    const name = shortText(object(value)?.['name'])
    if (name !== undefined) lines.push(`[Sticker: ${name}]`)
  }
  const poll = object(message['poll'])
  if (poll !== undefined) {
    const answers = list(poll['answers']).slice(0, 10)
    const options = answers.map((answer) => shortText(object(object(answer)?.['poll_media'])?.['text']) ?? '')
    lines.push(`[Poll: ${[shortText(object(poll['question'])?.['text']) ?? '', ...options].join(' | ')}]`)
  }
  return lines
}
