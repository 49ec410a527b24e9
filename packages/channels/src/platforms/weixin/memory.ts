import type { Allowance } from '../../connection.ts'
import type { Refused } from '../../message.ts'
import { putNewest, createPerBotState } from '../wire/bounded-map.ts'
import { SENDS_PER_MESSAGE } from './limits.ts'

/**
 * What is known of one bot for as long as this process lives, whatever becomes of its connections. Notifications need a
 * context token that this process received. Those of unanswered messages are also stored, sealed, for their replies.
 */
export interface BotMemory {
  readonly windows: SendWindows
  readonly texts: RecentTexts
  readonly tickets: TypingTickets
  readonly health: PollHealth
}

/** State of polling. */
export interface PollHealth {
  polling: boolean
  /** When a poll was last answered, milliseconds since the Unix epoch. */
  answeredAtMs: number | null
  /** How long the server holds a poll, in milliseconds. */
  holdMs: number
  /** How many polls in a row have failed. */
  failures: number
  /** When a person last wrote. */
  inboundAtMs: number | null
}

/** The server's usual hold, in milliseconds. */
export const HOLD_MS = 35_000
const MAX_PEOPLE = 10_000
const MAX_TEXTS = 2_000
/** The clocks of two of Weixin's servers may differ by so much. */
const CLOCKS_DIFFER_MS = 60_000
const QUOTED_CHARACTERS = 1_000

/** Of one bot, by its identity. */
export const getBotMemory = createPerBotState<BotMemory>(() => ({
  windows: new SendWindows(),
  texts: new RecentTexts(),
  tickets: new TypingTickets(),
  health: { polling: false, answeredAtMs: null, holdMs: HOLD_MS, failures: 0, inboundAtMs: null },
}))

/** The sends that a user's message makes possible. */
export interface SendWindow {
  readonly contextToken: string
  /** When that message was written, by Weixin's clock; `null`: not known. */
  readonly sentAtMs: number | null
  sends: number
  /** Weixin has let nothing more through. */
  usedUp: boolean
  /** An earlier process received that message: its context token was stored for the reply, not for notifications. */
  readonly forReplies: boolean
}

const NO_CONTEXT: Refused = {
  status: 'refused',
  code: 'no_context',
  detail: 'The recipient must message the bot first. Then try again.',
}
const USED_UP: Refused = {
  status: 'refused',
  code: 'quota_used_up',
  detail: 'Weixin allows no more messages to this person until they write again.',
}

/** One window per person, that of the newest message. */
export class SendWindows {
  readonly #byPerson = new Map<string, SendWindow>()

  /** A person has written; what is clearly older than the newest message changes nothing. */
  open(person: string, contextToken: string, sentAtMs: number | null): void {
    const newest = this.#byPerson.get(person)?.sentAtMs ?? null
    if (sentAtMs !== null && newest !== null && sentAtMs < newest - CLOCKS_DIFFER_MS) return
    putNewest(
      this.#byPerson,
      person,
      { contextToken, sentAtMs, sends: 0, usedUp: false, forReplies: false },
      MAX_PEOPLE,
    )
  }

  /** Takes over the token of a message that an earlier process received, unless this one knows a newer one. */
  restore(person: string, contextToken: string, sentAtMs: number): void {
    const known = this.#byPerson.get(person)
    if (known !== undefined && (!known.forReplies || (known.sentAtMs ?? 0) > sentAtMs)) return
    const window = { contextToken, sentAtMs, sends: 0, usedUp: false, forReplies: true }
    putNewest(this.#byPerson, person, window, MAX_PEOPLE)
  }

  /** What can be sent through now, or why nothing can. */
  ready(person: string, isReply: boolean): SendWindow | Refused {
    const window = this.#byPerson.get(person)
    if (window === undefined || (window.forReplies && !isReply)) return NO_CONTEXT
    return countSendsLeft(window) === 0 ? USED_UP : window
  }

  allowance(person: string, isReply: boolean): Allowance {
    const ready = this.ready(person, isReply)
    return 'status' in ready ? { left: 0, refused: ready } : { left: countSendsLeft(ready), refused: null }
  }

  /** How many people can be written to, and how many only after they write again. */
  count(): { readonly open: number; readonly usedUp: number; readonly fewest: number } {
    const left = [...this.#byPerson.values()].filter(({ forReplies }) => !forReplies).map(countSendsLeft)
    const open = left.filter((one) => one > 0)
    return { open: open.length, usedUp: left.length - open.length, fewest: open.length === 0 ? 0 : Math.min(...open) }
  }
}

const countSendsLeft = ({ sends, usedUp }: SendWindow): number => (usedUp ? 0 : Math.max(0, SENDS_PER_MESSAGE - sends))

/** The newest texts of both sides by message id: a quote names no more than that. */
export class RecentTexts {
  readonly #byId = new Map<string, string>()

  has(person: string, messageId: string): boolean {
    return this.#byId.has(toMessageKey(person, messageId))
  }

  put(person: string, messageId: string, text: string): void {
    putNewest(this.#byId, toMessageKey(person, messageId), text.slice(0, QUOTED_CHARACTERS), MAX_TEXTS)
  }

  /** `undefined` also for what was said in the chat with someone else. */
  find(person: string, messageId: string): string | undefined {
    return this.#byId.get(toMessageKey(person, messageId))
  }
}

const toMessageKey = (person: string, messageId: string): string => JSON.stringify([person, messageId])

interface Ticket {
  readonly ticket: string
  readonly untilMs: number
}

/** What typing indicators are shown with. */
export class TypingTickets {
  readonly #byPerson = new Map<string, Ticket>()

  get(person: string, nowMs: number): string | null {
    const found = this.#byPerson.get(person)
    return found !== undefined && nowMs < found.untilMs ? found.ticket : null
  }

  put(person: string, ticket: string, untilMs: number): void {
    putNewest(this.#byPerson, person, { ticket, untilMs }, MAX_PEOPLE)
  }

  drop(person: string): void {
    this.#byPerson.delete(person)
  }
}
