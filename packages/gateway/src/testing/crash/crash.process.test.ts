import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DEFAULT_BOT, type SayOptions, startTelegramEmulator, type TelegramControl } from '@gatepost/emulators'
import { testDatabases } from '@gatepost/sql/testing'
import { expect, it } from 'vitest'
import { call, type GatewayProcess, listAll, startGatewayProcess, untilAtRest } from './gateway-process.ts'
import {
  countWords,
  pause,
  seededRandom,
  startSlowAssistant,
  startTalk,
  type Talk,
  untilNone,
  untilRandomInstant,
  wordsIn,
} from './talkers.ts'

/** A guard against hangs. */
const HANG_MS = 1_800_000
/** How often the process is killed while people talk. */
const KILLS = { sqlite: 50, postgres: 20 } as const
const PEOPLE = 20
/** New messages while the gateway is down, and again once it is ready. */
const MESSAGES = 14
/** Fewer replies than `MESSAGES` from all people amount to, however they are joined into turns. */
const REPLIES = 4
/** After so many kills the gateway is left alone until nothing is open. */
const KILLS_PER_BURST = 3
const SEED = Number(process.env['CRASH_SEED'] ?? 20_261_121)

it.each(testDatabases)(
  'killed at random instants on %s, it answers everything once, or knows of which replies it is not certain',
  async (name, open) => {
    const random = seededRandom(SEED)
    const dataDir = await mkdtemp(path.join(tmpdir(), 'gatepost-crash-'))
    const database = await open()
    const emulator = await startTelegramEmulator({ history: 1_000_000 })
    const assistant = await startSlowAssistant(random)
    const settings = {
      GATEPOST_DATA_DIR: dataDir,
      GATEPOST_PORT: '0',
      GATEPOST_TELEGRAM_API_URL: emulator.url,
      GATEPOST_ASSISTANT: 'http',
      GATEPOST_ASSISTANT_URL: assistant.url,
      GATEPOST_PACING: 'off',
      ...(database.options.url === undefined ? {} : { GATEPOST_DATABASE_URL: database.options.url }),
    }
    let gateway = startGatewayProcess(settings)
    try {
      await connect(await gateway.ready, dataDir)
      const { control } = emulator
      const say = (index: number, word: string): Promise<unknown> => control.say(toMessage(index, word))
      const people = startTalk({ count: PEOPLE, everyMs: 20, spreadMs: 250, random, say })
      let midway = 0
      for (let kill = 0; kill < KILLS[name]; kill += 1) {
        people.allow(MESSAGES)
        await gateway.ready
        people.allow(MESSAGES)
        await untilRandomInstant(control, REPLIES, random)
        await gateway.kill()
        if (findMissing(await countShown(control), people.words).length > 0) midway += 1
        gateway = startGatewayProcess(settings)
        if (kill % KILLS_PER_BURST === KILLS_PER_BURST - 1) {
          await people.pause()
          await finishWork(control, people.words, gateway, dataDir)
        }
        // one in four dies while it is still starting
        if (random() < 0.25) {
          await pause(random() * 400)
          await gateway.kill()
          gateway = startGatewayProcess(settings)
        }
      }
      await people.stop()
      // late doubles would come from what a killed process left undecided
      await finishWork(control, people.words, gateway, dataDir)
      const failed = (await findFailed(await gateway.ready, dataDir)).filter(({ state }) => state !== 'unknown')
      await gateway.stop()
      const doubled = [...(await countShown(control))].filter(([, times]) => times > 1)
      expect({ doubled, failed }).toEqual({ doubled: [], failed: [] })
      // it must have been hit at work, or this proves nothing
      expect(midway).toBeGreaterThan(KILLS[name] / 2)
      expect(people.words.size).toBeGreaterThan(KILLS[name] * 5)
    } finally {
      await gateway.kill()
      await assistant.close()
      await emulator.close()
      await database.close()
      await rm(dataDir, { recursive: true, force: true })
    }
  },
  HANG_MS,
)

async function connect(url: string, dataDir: string): Promise<void> {
  const answer = await call(url, dataDir, 'POST', '/api/channels/telegram', { bot_token: DEFAULT_BOT.token })
  expect(answer).toEqual({ ok: true })
}

/** Waits until everything is answered and nothing is open. @throws when a message is lost */
async function finishWork(
  control: TelegramControl,
  words: Talk['words'],
  gateway: GatewayProcess,
  dataDir: string,
): Promise<void> {
  const url = await gateway.ready
  const lost = await untilNone(() => findUnanswered(control, words, url, dataDir))
  if (lost.length > 0) throw new Error(await describeLoss(lost, url, dataDir, gateway))
  await untilAtRest(url, dataDir, 'telegram')
}

const findFailed = (url: string, dataDir: string): Promise<readonly Record<string, unknown>[]> =>
  listAll(url, dataDir, '/api/channels/telegram/deliveries?dead=true&')

const SUPERGROUP = { id: -1001000000001, title: 'Crash test' }
const GROUP = { id: -77, title: 'Small crash test' }

/** Most people write in private, some in a supergroup, some in a basic group. */
function toMessage(index: number, word: string): SayOptions {
  const from = { id: 5000 + index, first_name: `Person ${index}` }
  if (index % 5 === 0) return { from, chat: SUPERGROUP, text: `@gatepost_bot ${word}` }
  if (index % 7 === 0) return { from, chat: GROUP, text: `@gatepost_bot ${word}` }
  return { from, text: word }
}

async function countShown(control: TelegramControl): Promise<ReadonlyMap<string, number>> {
  const sent = await control.sent({ limit: 1_000_000 })
  return countWords(sent.flatMap(({ text, deleted }) => (deleted ? [] : [text])))
}

const findMissing = (shown: ReadonlyMap<string, number>, words: Talk['words']): readonly string[] =>
  [...words.keys()].filter((word) => !shown.has(word))

/** Words that were not shown, and whose reply isn't stored as `unknown` either. */
async function findUnanswered(
  control: TelegramControl,
  words: Talk['words'],
  url: string,
  dataDir: string,
): Promise<readonly string[]> {
  const missing = findMissing(await countShown(control), words)
  if (missing.length === 0) return []
  const unknown = new Set((await findFailed(url, dataDir)).flatMap(({ text }) => wordsIn(String(text))))
  return missing.filter((word) => !unknown.has(word))
}

/** What is stored of messages that are lost, and the end of the log. */
async function describeLoss(
  lost: readonly string[],
  url: string,
  dataDir: string,
  { log }: GatewayProcess,
): Promise<string> {
  const some = lost.slice(0, 5)
  const isOfThem = ({ text }: Readonly<Record<string, unknown>>): boolean =>
    some.some((word) => wordsIn(String(text)).includes(word))
  const messages = (await listAll(url, dataDir, '/api/channels/telegram/messages?')).filter(isOfThem)
  const deliveries = (await listAll(url, dataDir, '/api/channels/telegram/deliveries?')).filter(isOfThem)
  const stored = JSON.stringify({ messages, deliveries }, null, 2)
  return [`${lost.length} not answered: ${lost.slice(0, 20).join(' ')}`, stored, ...log.slice(-40)].join('\n')
}
