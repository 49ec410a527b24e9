import type { OutboundTextPart } from '../../message.ts'
import type { FindSent, FoundSent, KnownMessage } from '../../connection.ts'
import { putNewest } from '../wire/bounded-map.ts'
import type { Answer, TelegramFailure } from './outcome.ts'

/** The message ids that went by in memory, to tell where a message of unknown fate can be. */
export interface SeenIds {
  /** @param beganAtMs When the request that made this id began; only for messages of ours. */
  see(chatId: string, id: number, beganAtMs?: number): void
  has(chatId: string, id: number): boolean
  /** 0 when none was seen. */
  highest(chatId: string): number
  /** Returns the lowest id of the bot's messages whose request started at or after this time, or `Infinity`. */
  firstSentSince(chatId: string, sinceMs: number): number
  /** A poll has brought everything that waited at Telegram. */
  caughtUp(): void
  isCaughtUp(): boolean
}

/**
 * A supergroup counts its messages itself; private chats and basic groups share the one counter of the bot.
 * A chat that is named (`@news`) is a supergroup or a channel.
 * @see Bot API, `Chat.id`: supergroups and channels begin with -100
 */
const getCounterName = (chatId: string): string => (chatId.startsWith('-100') || !isNumeric(chatId) ? chatId : 'own')
const isNumeric = (chatId: string): boolean => /^-?\d+$/.test(chatId)

const REMEMBERED_IDS = 512
const REMEMBERED_DELIVERIES = 1_000
const REMEMBERED_COUNTERS = 5_000

/** Creates an empty memory of message ids. */
export function createSeenIds(): SeenIds {
  const counters = new Map<string, { highest: number; readonly ids: Map<number, number> }>()
  const counter = (chatId: string) => counters.get(getCounterName(chatId))
  let caughtUp = false
  return {
    caughtUp() {
      caughtUp = true
    },
    isCaughtUp: () => caughtUp,
    see(chatId, id, beganAtMs = Number.NEGATIVE_INFINITY) {
      const name = getCounterName(chatId)
      const entry = counters.get(name) ?? { highest: 0, ids: new Map<number, number>() }
      putNewest(counters, name, entry, REMEMBERED_COUNTERS)
      entry.highest = Math.max(entry.highest, id)
      putNewest(entry.ids, id, beganAtMs, REMEMBERED_IDS)
    },
    has: (chatId, id) => counter(chatId)?.ids.has(id) ?? false,
    highest: (chatId) => counter(chatId)?.highest ?? 0,
    firstSentSince(chatId, sinceMs) {
      let first = Number.POSITIVE_INFINITY
      for (const [id, beganAtMs] of counter(chatId)?.ids ?? []) if (beganAtMs >= sinceMs && id < first) first = id
      return first
    },
  }
}

/** How long Telegram may take to show a message whose request was cut off. */
const SETTLE_MS = 3_000
/** Most ids probed for one message. */
const PROBES = 256
/** How far beyond the highest id known a message can be: more than can be under way at the same time. */
const BEYOND = 64
/** Until what waits at Telegram has been received, few ids are known to be others; after this long it is tried anyway. */
const CATCH_UP_MS = 60_000

/** `FindSent`, and what the connection tells it. */
export interface SentFinder extends FindSent {
  /** The outcome of an attempt stayed unknown. */
  ended(deliveryId: string): void
}

/**
 * Telegram has no idempotency key and no way to list a bot's messages. But ids rise by one, so a message that was shown
 * has one of the next ids after the highest one known before the attempt, and editing a message of ours to the text
 * that it already has changes nothing: Telegram answers "message is not modified" for it, and "message to edit not
 * found" (or "can't be edited") for every other id. Ids known to belong to other messages are not asked for, and the
 * search ends at the id of a message that was certainly sent later, or well beyond the highest one known. If an edit
 * does change something, the text is shown all the same. Files have no text to compare and cannot be found.
 *
 * @param probe Edits a message to exactly the part's text and markup.
 */
export function telegramFindSent(
  seen: SeenIds,
  probe: (part: OutboundTextPart, messageId: number, signal: AbortSignal) => Promise<Answer>,
  now: () => number,
): SentFinder {
  const openedAtMs = now()
  /** When attempts ended; those of an earlier process ended before this one began. */
  const endedAt = new Map<string, number>()
  /** How far a search came before Telegram asked to wait. */
  const searches = new Map<string, { readonly id: number; readonly probes: number }>()
  return {
    settleMs: SETTLE_MS,
    ended: (deliveryId) => putNewest(endedAt, deliveryId, now(), REMEMBERED_DELIVERIES),
    mark(part) {
      if (part.kind !== 'text') return null
      const highest = Math.max(seen.highest(part.chat.id), parseMessageId(part.after))
      return highest > 0 ? String(highest) : null
    },
    async find(part, mark, known, signal) {
      const start = parseMessageId(mark)
      if (part.kind !== 'text' || start === 0) return undecided("this message can't be searched for")
      const search = `${part.deliveryId} ${mark}`
      const settledAtMs = (endedAt.get(part.deliveryId) ?? openedAtMs) + SETTLE_MS
      if (!seen.isCaughtUp() && now() < settledAtMs + CATCH_UP_MS) return { found: 'later', afterMs: 1_000 }
      let { id, probes } = searches.get(search) ?? { id: start, probes: 0 }
      searches.delete(search)
      const taken = collectIds(known, part.chat.id)
      const last =
        [...taken].reduce((max, one) => Math.max(max, one), Math.max(start, seen.highest(part.chat.id))) + BEYOND
      while (probes < PROBES) {
        id++
        if (id > last) return { found: 'absent' }
        if (id >= seen.firstSentSince(part.chat.id, settledAtMs)) return { found: 'absent' }
        if (taken.has(id) || seen.has(part.chat.id, id)) continue
        const found = readProbe(await probe(part, id, signal), id)
        if (found !== 'next' && found.found === 'later') {
          putNewest(searches, search, { id: id - 1, probes }, REMEMBERED_DELIVERIES)
        }
        if (found !== 'next') return found
        probes++
      }
      return undecided(`more than ${PROBES} messages followed it`)
    },
  }
}

const parseMessageId = (id: string | undefined): number => {
  const number = Number(id ?? 0)
  return Number.isSafeInteger(number) && number > 0 ? number : 0
}

/** The ids among these that were made by the counter of this chat. */
const collectIds = (known: readonly KnownMessage[], chatId: string): ReadonlySet<number> =>
  new Set(
    known
      .filter((one) => getCounterName(one.chatId) === getCounterName(chatId))
      .map((one) => parseMessageId(one.messageId)),
  )

const undecided = (detail: string): FoundSent => ({ found: 'undecided', detail })

/** What the answer to one probe says; `next`: not this id. */
function readProbe(answer: Answer, id: number): FoundSent | 'next' {
  if (answer.ok) return { found: 'delivered', messageId: String(id) }
  const { failure } = answer
  if (isNotModified(failure)) return { found: 'delivered', messageId: String(id) }
  if (failure.kind !== 'answer' || failure.status >= 500) return { found: 'later', afterMs: 5_000 }
  if (failure.status === 429) return { found: 'later', afterMs: failure.retryAfterMs ?? 5_000 }
  if (failure.status === 400 && NOT_THIS_ONE.test(failure.description)) return 'next'
  return undecided(failure.description)
}

const NOT_THIS_ONE =
  /message to edit not found|message can't be edited|no text in the message to edit|MESSAGE_ID_INVALID/i

/** The message already has exactly this text: as good as edited. */
export const isNotModified = (failure: TelegramFailure): boolean =>
  failure.kind === 'answer' && failure.status === 400 && /message is not modified/i.test(failure.description)
