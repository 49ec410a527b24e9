import type { FindSent, FoundSent, KnownMessage } from '../../connection.ts'
import { putNewest } from '../wire/bounded-map.ts'
import type { TelegramFailure } from './outcome.ts'

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
/** How long to wait until everything that waits at Telegram has been received, so that its ids are known. */
const CATCH_UP_MS = 60_000
/** How long to wait for a later message of the bot. The next messages of the chat wait, too. */
const LATER_MESSAGE_MS = 10_000

/** `FindSent`, and what the connection reports to it. */
export interface SentFinder extends FindSent {
  /** The outcome of an attempt stayed unknown. */
  ended(deliveryId: string): void
}

/**
 * Proves from the ids of other messages that a message was not delivered; otherwise its fate stays undecided. Makes no
 * request.
 *
 * Telegram has no idempotency key and no way to read a bot's messages. The only call that compares texts is
 * `editMessageText` ("message is not modified"), and it overwrites the message when the texts differ. The ids to try
 * would be those that can't be attributed, and one of them may be any message that this process doesn't know: sent by
 * another program with the same token, shown by an earlier attempt that stayed undecided, or, in a channel where the bot
 * is an administrator, posted by a person. Telegram allows one poller per token, but any number of senders, so none of
 * these can be ruled out before an edit. Calls that fail on every text message (`editMessageCaption`, `stopPoll`) change
 * other kinds of messages and tell only that something is there. Hence no edit is safe, and none is made.
 *
 * What remains is a proof of absence. Each counter of ids rises by one, so a delivered message has an id above the
 * highest one known before the attempt, and below that of a message of the bot whose request began after the attempt had
 * settled. If every id in between is known to be another message, it was not delivered and may be sent.
 */
export function telegramFindSent(seen: SeenIds, now: () => number): SentFinder {
  const openedAtMs = now()
  /** When attempts ended; those of an earlier process ended before this one began. */
  const endedAt = new Map<string, number>()
  return {
    settleMs: SETTLE_MS,
    ended: (deliveryId) => putNewest(endedAt, deliveryId, now(), REMEMBERED_DELIVERIES),
    mark(part) {
      if (part.kind !== 'text') return null
      const highest = Math.max(seen.highest(part.chat.id), parseMessageId(part.after))
      return highest > 0 ? String(highest) : null
    },
    find(part, mark, known) {
      const start = parseMessageId(mark)
      const settledAtMs = (endedAt.get(part.deliveryId) ?? openedAtMs) + SETTLE_MS
      if (start === 0) return Promise.resolve(UNDECIDED)
      if (!seen.isCaughtUp() && now() < settledAtMs + CATCH_UP_MS) return Promise.resolve(LATER)
      const taken = collectIds(known, part.chat.id)
      const later = seen.firstSentSince(part.chat.id, settledAtMs)
      let id = start + 1
      while (id < later && (taken.has(id) || seen.has(part.chat.id, id))) id++
      if (id >= later) return Promise.resolve({ found: 'absent' })
      const isOpen = later === Number.POSITIVE_INFINITY && now() < settledAtMs + LATER_MESSAGE_MS
      return Promise.resolve(isOpen ? LATER : UNDECIDED)
    },
  }
}

const LATER: FoundSent = { found: 'later', afterMs: 1_000 }
const UNDECIDED: FoundSent = {
  found: 'undecided',
  detail: "Telegram didn't respond, and can't be asked about a message",
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

/** The message already has exactly this text: as good as edited. */
export const isNotModified = (failure: TelegramFailure): boolean =>
  failure.kind === 'answer' && failure.status === 400 && /message is not modified/i.test(failure.description)
