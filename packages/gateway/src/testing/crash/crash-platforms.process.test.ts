import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  type PlatformControl,
  startDingtalkEmulator,
  startDiscordEmulator,
  startFeishuEmulator,
  startWecomEmulator,
  startWeixinEmulator,
} from '@gatepost/emulators'
import { expect, it } from 'vitest'
import { call, listAll, startGatewayProcess, untilAtRest } from './gateway-process.ts'
import {
  countWords,
  seededRandom,
  startSlowAssistant,
  startTalk,
  type Talk,
  untilNone,
  untilRandomInstant,
  wordsIn,
} from './talkers.ts'

/** An emulator, and what the platform itself makes impossible. */
interface Subject {
  readonly control: Omit<PlatformControl, 'injectFault' | 'faults' | 'switches'>
  readonly environment: Readonly<Record<string, string>>
  close(): Promise<void>
}

/**
 * `inbound`: what was said while nobody was connected, or was on its way to a process that was killed, is never handed
 * over again. `outbound`: a send whose answer the process did not live to see cannot be repeated and cannot be found.
 */
type MayLose = 'nothing' | 'outbound' | 'inbound and outbound'

const HISTORY = 100_000
/** Redelivery sooner than in the world, so that the suite ends. */
const SOON_MS: readonly number[] = Array.from({ length: 400 }, () => 700)

const subjects: readonly [platform: string, mayLose: MayLose, start: () => Promise<Subject>][] = [
  [
    'feishu',
    'nothing',
    async () => {
      const { url, control, close } = await startFeishuEmulator({ history: HISTORY, redeliverMs: SOON_MS })
      return { control, close, environment: { GATEPOST_FEISHU_API_URL: url } }
    },
  ],
  [
    'discord',
    'nothing',
    async () => {
      const { apiUrl, control, close } = await startDiscordEmulator({ history: HISTORY })
      return { control, close, environment: { GATEPOST_DISCORD_API_URL: apiUrl } }
    },
  ],
  [
    'dingtalk',
    'outbound',
    async () => {
      const { url, control, close } = await startDingtalkEmulator({ history: HISTORY, redeliveryMs: SOON_MS })
      return { control, close, environment: { GATEPOST_DINGTALK_API_URL: url, GATEPOST_DINGTALK_OAPI_URL: url } }
    },
  ],
  [
    'weixin',
    'outbound',
    async () => {
      const { url, cdnUrl, control, close } = await startWeixinEmulator({ history: HISTORY, sendsPerMessage: 1_000 })
      return { control, close, environment: { GATEPOST_WEIXIN_API_URL: url, GATEPOST_WEIXIN_CDN_URL: cdnUrl } }
    },
  ],
  [
    'wecom',
    'inbound and outbound',
    async () => {
      const { wsUrl, control, close } = await startWecomEmulator({ history: HISTORY })
      return { control, close, environment: { GATEPOST_WECOM_WS_URL: wsUrl } }
    },
  ],
]

/** A guard against hangs. Nobody writes again to get a reply: what is stored is answered after the restart. */
const HANG_MS = 900_000
const KILLS = 12
const PEOPLE = 8
/** New messages while the bot is not connected, and again once it is. */
const MESSAGES = 16
/** Fewer replies than `MESSAGES` from all people amount to, however they are joined into turns. */
const REPLIES = 3
const SEED = Number(process.env['CRASH_SEED'] ?? 20_261_121)

it.each(subjects)(
  '%s: killed at random instants, it doubles nothing and loses %s',
  async (platform, mayLose, start) => {
    await using undo = new AsyncDisposableStack()
    const random = seededRandom(SEED)
    const dataDir = await mkdtemp(path.join(tmpdir(), 'gatepost-crash-'))
    undo.defer(() => rm(dataDir, { recursive: true, force: true }))
    const { control, environment, close } = await start()
    undo.defer(close)
    const assistant = await startSlowAssistant(random)
    undo.defer(() => assistant.close())
    const settings = {
      ...environment,
      GATEPOST_DATA_DIR: dataDir,
      GATEPOST_PORT: '0',
      GATEPOST_ASSISTANT: 'http',
      GATEPOST_ASSISTANT_URL: assistant.url,
      GATEPOST_PACING: 'off',
    }
    let gateway = startGatewayProcess(settings)
    undo.defer(() => gateway.kill())
    const { credentials } = await control.bot()
    const saved = await call(await gateway.ready, dataDir, 'POST', `/api/channels/${platform}`, credentials)
    expect(saved).toEqual({ ok: true })
    const say = (index: number, word: string): Promise<unknown> => control.say(toMessage(index, word))
    const people = startTalk({ count: PEOPLE, everyMs: 40, spreadMs: 400, random, say })
    let midway = 0
    let replied = 0
    // between two kills, a busy machine stores and answers only a few messages: it is killed until it has answered enough
    for (let kill = 0; kill < KILLS || replied <= KILLS * 3; kill += 1) {
      people.allow(MESSAGES)
      await untilConnected(control)
      people.allow(MESSAGES)
      await untilRandomInstant(control, REPLIES, random)
      await gateway.kill()
      const before = await countShown(control)
      if (findMissing(before, people.words).length > 0) midway += 1
      replied = before.size
      gateway = startGatewayProcess(settings)
      await gateway.ready
    }
    await people.stop()
    await untilConnected(control)
    const url = await gateway.ready
    const findLost = async (): Promise<readonly string[]> => {
      const excused =
        mayLose === 'nothing' ? [] : await findLostByThePlatform(url, dataDir, platform, mayLose, people.words)
      return findMissing(await countShown(control), people.words).filter((word) => !excused.includes(word))
    }
    const lost = await untilNone(findLost)
    // late doubles would come from what a killed process left undecided
    await untilAtRest(url, dataDir, platform)
    const shown = await countShown(control)
    const doubled = [...shown].filter(([, times]) => times > 1)
    expect({ lost, doubled }).toEqual({ lost: [], doubled: [] })
    // it must have been hit at work, or this proves nothing
    expect(midway).toBeGreaterThan(KILLS / 3)
    expect(people.words.size).toBeGreaterThan(KILLS * 5)
    expect(shown.size).toBeGreaterThan(KILLS * 3)
  },
  HANG_MS,
)

const toMessage = (index: number, text: string): { from: { id: string; name: string }; text: string } => ({
  from: { id: String(5_000 + index), name: `Person ${index}` },
  text,
})

async function untilConnected(control: Subject['control']): Promise<void> {
  await expect.poll(async () => (await control.bot()).connected, { timeout: 300_000 }).toBe(true)
}

async function countShown(control: Subject['control']): Promise<ReadonlyMap<string, number>> {
  const sent = await control.sent({ limit: HISTORY })
  return countWords(sent.flatMap(({ text, unfinished }) => (unfinished ? [] : [text])))
}

const findMissing = (shown: ReadonlyMap<string, number>, words: Talk['words']): readonly string[] =>
  [...words.keys()].filter((word) => !shown.has(word))

/** Words whose answer is stored as `unknown`, and, where the platform never repeats, words that were never stored. */
async function findLostByThePlatform(
  url: string,
  dataDir: string,
  platform: string,
  mayLose: MayLose,
  words: ReadonlyMap<string, number>,
): Promise<readonly string[]> {
  const dead = await listAll(url, dataDir, `/api/channels/${platform}/deliveries?dead=true&`)
  expect(dead.filter(({ state }) => state !== 'unknown')).toEqual([])
  const unknown = dead.flatMap(({ text }) => wordsIn(String(text)))
  if (mayLose === 'outbound') return unknown
  const stored = new Set(
    (await listAll(url, dataDir, `/api/channels/${platform}/messages?`)).flatMap(({ text }) => wordsIn(String(text))),
  )
  // only in a span that the channel shows
  const { gaps } = (await call(url, dataDir, 'GET', `/api/channels/${platform}`)) as {
    gaps: { from: number; to: number }[] // the route's own shape
  }
  const told = (atMs: number): boolean => gaps.some(({ from, to }) => from <= atMs && atMs <= to + 1_000)
  const unheard = [...words].flatMap(([word, atMs]) => (!stored.has(word) && told(atMs) ? [word] : []))
  return [...unknown, ...unheard]
}
