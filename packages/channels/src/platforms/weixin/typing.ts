import type { Connection } from '../../connection.ts'
import type { PlatformIo } from '../../platform-io.ts'
import type { WeixinClient } from './client.ts'
import { configBody, typingBody } from './encode.ts'
import { filled } from '../wire/json.ts'
import type { BotMemory } from './memory.ts'
import { sentenceOf } from './outcome.ts'

const TYPING_MS = 10_000
const TICKET_LIFE_MS = 24 * 3_600_000

/** Shows that an answer is being written, as long as the person can be written to. A courtesy: nothing depends on it. */
export function typingSigns(
  client: WeixinClient,
  memory: BotMemory,
  io: PlatformIo,
): Required<Pick<Connection['can'], 'typing' | 'typingDone'>> {
  const { tickets, windows } = memory
  const shown = new Set<string>()

  async function ticketFor(person: string, signal: AbortSignal): Promise<string | null> {
    const known = tickets.get(person, io.clock.now())
    const window = windows.ready(person)
    if (known !== null || 'status' in window) return known
    const limits = { signal, timeoutMs: TYPING_MS }
    const answer = await client.post('ilink/bot/getconfig', configBody(person, window.contextToken), limits)
    const ticket = answer.ok ? filled(answer.body['typing_ticket']) : undefined
    if (ticket === undefined) {
      const why = answer.ok ? 'no typing_ticket' : sentenceOf(answer.failure)
      io.log.debug('Weixin typing sign not shown', { why })
      return null
    }
    tickets.put(person, ticket, io.clock.now() + TICKET_LIFE_MS)
    return ticket
  }

  async function tell(person: string, ticket: string, status: 1 | 2, signal: AbortSignal): Promise<void> {
    const limits = { signal, timeoutMs: TYPING_MS }
    const answer = await client.post('ilink/bot/sendtyping', typingBody(person, ticket, status), limits)
    if (answer.ok) return
    tickets.drop(person) // the next sign asks for a new one
    io.log.debug('Weixin typing sign not changed', { why: sentenceOf(answer.failure) })
  }

  return {
    async typing(chat, signal) {
      if ('status' in windows.ready(chat.id)) return
      const ticket = await ticketFor(chat.id, signal)
      if (ticket === null) return
      shown.add(chat.id)
      await tell(chat.id, ticket, 1, signal)
    },
    async typingDone(chat, signal) {
      const ticket = shown.delete(chat.id) ? tickets.get(chat.id, io.clock.now()) : null
      if (ticket !== null) await tell(chat.id, ticket, 2, signal)
    },
  }
}
