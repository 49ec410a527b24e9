import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** What people said, each time with a word that occurs in that message and nowhere else. */
export interface Talk {
  /** When each word was said, milliseconds since the Unix epoch. */
  readonly words: ReadonlyMap<string, number>
  /** Lets people send `count` more messages. They pause at the limit, so that a slow machine isn't given more work. */
  allow(count: number): void
  /** Resolves when they have sent all messages that they are allowed. */
  pause(): Promise<void>
  /** Makes them stop; resolves when every message is sent. */
  stop(): Promise<void>
}

/** Who talks, and how. */
export interface Talkers {
  readonly count: number
  /** Between two messages of one person: at least this long, and up to `spreadMs` longer. */
  readonly everyMs: number
  readonly spreadMs: number
  /** Uniform in [0, 1). */
  random(): number
  /** Sends a message of person `index` (from 1) that contains `word`. */
  say(index: number, word: string): Promise<unknown>
}

/** People who talk without waiting for each other or for replies. */
export function startTalk({ count, everyMs, spreadMs, random, say }: Talkers): Talk {
  const words = new Map<string, number>()
  let allowed = 0
  let stopped = false
  let sent = 0
  let changed = Promise.withResolvers<void>()
  const change = (): void => {
    changed.resolve()
    changed = Promise.withResolvers<void>()
  }
  const person = async (index: number): Promise<void> => {
    for (let n = 1; ; n += 1) {
      while (words.size >= allowed && !stopped) await changed.promise
      if (stopped) return
      const word = `w${index}x${n}w`
      words.set(word, Date.now())
      await say(index, word)
      sent += 1
      change()
      await pause(everyMs + random() * spreadMs)
    }
  }
  const people = Array.from({ length: count }, (_, index) => person(index + 1))
  return {
    words,
    allow(more) {
      allowed += more
      change()
    },
    async pause() {
      while (sent < allowed) await changed.promise
    },
    async stop() {
      stopped = true
      change()
      await Promise.all(people)
    },
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** The words of a talk in a text. */
export const wordsIn = (text: string): readonly string[] => text.match(/w\d+x\d+w/g) ?? []

/** Counts how often each word occurs in `texts`. */
export function countWords(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) for (const word of wordsIn(text)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** A guard against hangs: as long as something changes, a busy machine has all the time that it needs. */
const STUCK_MS = 180_000

/** Waits until `find` returns nothing. @returns what it returns once that has stayed the same for three minutes */
export async function untilNone(find: () => Promise<readonly string[]>): Promise<readonly string[]> {
  let left = await find()
  for (let sinceMs = Date.now(); left.length > 0 && Date.now() - sinceMs < STUCK_MS; ) {
    await pause(250)
    const next = await find()
    if (next.join() !== left.join()) sinceMs = Date.now()
    left = next
  }
  return left
}

/** What the emulators of all platforms can tell about the messages that the bot sent. */
interface SentMessages {
  sent(options: { limit: number }): Promise<readonly { readonly sequence: number }[]>
  waitForSent(options: { afterSequence: number; count: number; timeoutMs: number }): Promise<unknown>
}

/**
 * Waits for a random instant of the gateway's work: until the bot has sent up to `atMost` more messages, and a moment longer.
 * Gives up when nothing more is sent.
 */
export async function untilRandomInstant(control: SentMessages, atMost: number, random: () => number): Promise<void> {
  const count = Math.floor(random() * (atMost + 1))
  const afterSequence = (await control.sent({ limit: 1_000_000 })).at(-1)?.sequence ?? 0
  if (count > 0) await control.waitForSent({ afterSequence, count, timeoutMs: 30_000 })
  await pause(random() * 100)
}

/** Small, seeded and good enough (mulberry32): a failing run can be repeated by its seed. */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, afterMs: number): Promise<void> {
  // the shape is the one that docs/assistants.md promises
  const { messages } = (await json(request)) as { messages: { role: string; text: string }[] }
  const since = messages.findLastIndex(({ role }) => role === 'assistant') + 1
  const text = messages.slice(since).map((message) => message.text)
  await pause(afterMs)
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ text: text.join('\n') }))
}

/** An assistant over HTTP that says back what was said last, after a while, so that turns can be killed half-way. */
export async function startSlowAssistant(random: () => number): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => void answer(request, response, random() * 150))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // a TCP server has an address with a port
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
