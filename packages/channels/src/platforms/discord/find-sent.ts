import { stat } from 'node:fs/promises'
import type { FindSent, FoundSent, KnownMessage } from '../../connection.ts'
import type { OutboundPart } from '../../message.ts'
import type { DiscordClient } from './client.ts'
import { readAttachments, type SeenMessage } from './decode.ts'
import { createNonce } from './encode.ts'
import { type Json, object, objects, text } from '../wire/json.ts'
import { putNewest } from '../wire/bounded-map.ts'
import { getErrorCode, describeFailure, UNKNOWN_CHANNEL } from './outcome.ts'
import { byAge, readSnowflake } from './snowflake.ts'

/** Memory of recently seen messages. */
export interface SeenMessages {
  see(message: SeenMessage): void
  /** The highest id, which is the newest message anywhere; `null`: none was seen. */
  newest(): string | null
  /** Our own message that was sent with this nonce. */
  sentWith(nonce: string): string | null
}

const REMEMBERED = 1_000

/** Creates an empty memory of seen messages. */
export function createSeenMessages(): SeenMessages {
  const byNonce = new Map<string, string>()
  let newest: string | null = null
  return {
    see({ messageId, nonce }) {
      if (newest === null || byAge(newest, messageId) < 0) newest = messageId
      if (nonce !== undefined) putNewest(byNonce, nonce, messageId, REMEMBERED)
    },
    newest: () => newest,
    sentWith: (nonce) => byNonce.get(nonce) ?? null,
  }
}

/** Discord remembers a nonce for a few minutes; this long for certain. */
const NONCE_MS = 120_000

/** For how long a delivery can be sent again under its nonce. */
export interface Attempts {
  began(deliveryId: string): void
  /** The outcome of the last attempt is known: nothing of it has to be found out. */
  ended(deliveryId: string): void
  canRepeat(deliveryId: string, triedAtMs: number): boolean
}

/** Tracks the attempts of this process. @param now Returns milliseconds since the Unix epoch. */
export function trackAttempts(now: () => number): Attempts {
  /** Time of the first attempt with an unknown outcome: from then on Discord may remember the nonce. */
  const firstAtMs = new Map<string, number>()
  return {
    began(deliveryId) {
      if (!firstAtMs.has(deliveryId)) putNewest(firstAtMs, deliveryId, now(), REMEMBERED)
    },
    ended: (deliveryId) => void firstAtMs.delete(deliveryId),
    canRepeat: (deliveryId, triedAtMs) =>
      now() - Math.min(firstAtMs.get(deliveryId) ?? triedAtMs, triedAtMs) < NONCE_MS,
  }
}

const PAGE = 100
/** Pages of later messages to read; in a busier channel the outcome stays undecided. */
const MAX_PAGES = 10
const ASK_MS = 15_000

/**
 * Reads the channel after the newest message that was known before the attempt. A message of ours with the same content
 * that is not stored yet is the one; when there is none, nothing was shown.
 * @param botId Whose messages are ours.
 */
export function discordFindSent(client: DiscordClient, seen: SeenMessages, botId: string): FindSent {
  return {
    settleMs: 3_000,
    mark(part) {
      const known = [readSnowflake(part.after), seen.newest()].filter((id) => typeof id === 'string')
      return known.toSorted(byAge).at(-1) ?? null
    },
    async find(part, mark, known, signal) {
      const nonce = createNonce(part.deliveryId)
      const knownId = seen.sentWith(nonce)
      if (knownId !== null) return { found: 'delivered', messageId: knownId }
      const matches = await createMatcher(part, nonce, botId, known)
      let after = readSnowflake(mark)
      if (after === undefined || matches === null) return undecided("this message can't be searched for")
      for (let page = 0; page < MAX_PAGES; page++) {
        const query = { after, limit: String(PAGE) }
        const call = { method: 'GET', path: `/channels/${part.chat.id}/messages`, query } as const
        const answer = await client.call(call, { signal, timeoutMs: ASK_MS })
        if (!answer.ok) return readFailure(answer.failure)
        const messages = objects(answer.result)
        const ids = messages.flatMap((message) => readSnowflake(message['id']) ?? []).toSorted(byAge)
        const found = messages.find(matches)
        if (found !== undefined) return { found: 'delivered', messageId: readSnowflake(found['id']) ?? '' }
        const last = ids.at(-1)
        if (messages.length < PAGE || last === undefined) return { found: 'absent' }
        after = last
      }
      return undecided(`more than ${MAX_PAGES * PAGE} messages followed it`)
    },
  }
}

const undecided = (detail: string): FoundSent => ({ found: 'undecided', detail })

function readFailure(failure: Parameters<typeof describeFailure>[0]): FoundSent {
  if (getErrorCode(failure) === UNKNOWN_CHANNEL) return { found: 'absent' }
  if (failure.kind === 'limited') return { found: 'later', afterMs: failure.retryAfterMs }
  if (failure.kind === 'answer' && failure.status < 500) return undecided(describeFailure(failure))
  return { found: 'later', afterMs: 5_000 }
}

/** Returns whether a message is the one that was sent; `null`: it cannot be recognised. */
async function createMatcher(
  part: OutboundPart,
  nonce: string,
  botId: string,
  known: readonly KnownMessage[],
): Promise<((message: Json) => boolean) | null> {
  const others = new Set(known.map(({ messageId }) => messageId))
  const isOurs = (message: Json): boolean =>
    object(message['author'])?.['id'] === botId && readSnowflake(message['id']) !== undefined
  if (part.kind === 'text') {
    const wanted = collapseSpaces(part.body)
    return (message) =>
      isOurs(message) &&
      (message['nonce'] === nonce ||
        (!others.has(readSnowflake(message['id']) ?? '') && collapseSpaces(text(message['content']) ?? '') === wanted))
  }
  const file = await stat(part.path).catch(() => null)
  if (file === null) return null
  return (message) =>
    isOurs(message) &&
    (message['nonce'] === nonce ||
      (!others.has(readSnowflake(message['id']) ?? '') && readAttachments(message)[0]?.sizeBytes === file.size))
}

const collapseSpaces = (words: string): string => words.replaceAll(/\s+/g, ' ').trim()
