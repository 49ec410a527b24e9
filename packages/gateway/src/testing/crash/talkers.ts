import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { SayOptions, TelegramControl } from '@gatepost/emulators'

/** What people said, each with a word that stands in it and nowhere else. */
interface Talk {
  readonly words: ReadonlySet<string>
  /** They stop talking; resolves when nobody is in the middle of a message. */
  stop(): Promise<void>
}

const SUPERGROUP = { id: -1001000000001, title: 'Crash test' }
const GROUP = { id: -77, title: 'Small crash test' }

/**
 * `count` people who talk without waiting for each other: most in private, some in a supergroup, some in a basic group.
 * @param random Uniform in [0, 1).
 */
export function talk(control: TelegramControl, count: number, random: () => number): Talk {
  const words = new Set<string>()
  let stopped = false
  const person = async (index: number): Promise<void> => {
    for (let n = 1; !stopped; n += 1) {
      const word = `w${index}x${n}w`
      words.add(word)
      await control.say(message(index, word))
      await pause(20 + random() * 250)
    }
  }
  const people = Array.from({ length: count }, (_, index) => person(index + 1))
  return {
    words,
    async stop() {
      stopped = true
      await Promise.all(people)
    },
  }
}

function message(index: number, word: string): SayOptions {
  const from = { id: 5000 + index, first_name: `Person ${index}` }
  if (index % 5 === 0) return { from, chat: SUPERGROUP, text: `@gatepost_bot ${word}` }
  if (index % 7 === 0) return { from, chat: GROUP, text: `@gatepost_bot ${word}` }
  return { from, text: word }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** The words of a talk in a text. */
export const wordsIn = (text: string): readonly string[] => text.match(/w\d+x\d+w/g) ?? []

/** How often each word stands in what the bot shows now. */
export async function shownWords(control: TelegramControl): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for (const { text, deleted } of await control.sent({ limit: 1_000_000 })) {
    if (deleted || text === undefined) continue
    for (const word of wordsIn(text)) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return counts
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
