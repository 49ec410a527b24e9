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
import { startGatewayProcess, call } from './gateway-process.ts'
import { startSlowAssistant, pause, seededRandom, wordsIn } from './talkers.ts'

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

const KILLS = 12
const PEOPLE = 8
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
    const talk = startTalk(control, random)
    let midway = 0
    for (let kill = 0; kill < KILLS; kill += 1) {
      await connected(control)
      await pause(random() * 500)
      await gateway.kill()
      if (missing(await shownWords(control), talk.words).length > 0) midway += 1
      gateway = startGatewayProcess(settings)
      await gateway.ready
    }
    await talk.stop()
    await connected(control)
    const excused = async (): Promise<readonly string[]> =>
      mayLose === 'nothing' ? [] : await lostByThePlatform(await gateway.ready, dataDir, platform, mayLose, talk.words)
    // where answers need what only a message brings, people write on until they have them
    const nudge = (): Promise<unknown> =>
      Promise.all(Array.from({ length: PEOPLE }, (_, index) => control.say(spoken(index, 'and?'))))
    const lost = await settled(control, talk.words, excused, platform === 'weixin' ? nudge : null)
    const shown = await shownWords(control)
    const doubled = [...shown].filter(([, times]) => times > 1)
    expect({ lost, doubled }).toEqual({ lost: [], doubled: [] })
    // it must have been hit at work, or this proves nothing
    expect(midway).toBeGreaterThan(KILLS / 3)
    expect(talk.words.size).toBeGreaterThan(KILLS * 5)
    expect(shown.size).toBeGreaterThan(KILLS * 3)
  },
  240_000,
)

const spoken = (index: number, text: string): { from: { id: string; name: string }; text: string } => ({
  from: { id: String(5_000 + index), name: `Person ${index}` },
  text,
})

/** People who talk without waiting for each other, each word once. */
/** `words`: each with the time at which it was said. */
function startTalk(
  control: Subject['control'],
  random: () => number,
): { readonly words: ReadonlyMap<string, number>; stop(): Promise<void> } {
  const words = new Map<string, number>()
  let stopped = false
  const person = async (index: number): Promise<void> => {
    for (let n = 1; !stopped; n += 1) {
      const word = `w${index}x${n}w`
      words.set(word, Date.now())
      await control.say(spoken(index, word))
      await pause(40 + random() * 400)
    }
  }
  const people = Array.from({ length: PEOPLE }, (_, index) => person(index))
  return {
    words,
    async stop() {
      stopped = true
      await Promise.all(people)
    },
  }
}

async function connected(control: Subject['control']): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if ((await control.bot()).connected) return
    await pause(50)
  }
  throw new Error('the bot does not connect')
}

async function shownWords(control: Subject['control']): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for (const { text, unfinished } of await control.sent({ limit: HISTORY })) {
    if (unfinished) continue
    for (const word of wordsIn(text)) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return counts
}

const missing = (shown: ReadonlyMap<string, number>, words: ReadonlyMap<string, number>): readonly string[] =>
  [...words.keys()].filter((word) => !shown.has(word))

/** Waits until everything is shown that is not excused. @returns what is not, after a minute */
async function settled(
  control: Subject['control'],
  words: ReadonlyMap<string, number>,
  excused: () => Promise<readonly string[]>,
  nudge: (() => Promise<unknown>) | null,
): Promise<readonly string[]> {
  let lost: readonly string[] = []
  for (let tries = 0; tries < 120; tries += 1) {
    const may = new Set(await excused())
    lost = missing(await shownWords(control), words).filter((word) => !may.has(word))
    if (lost.length === 0) break
    await nudge?.()
    await pause(500)
  }
  // late doubles would come from what a killed process left undecided
  await pause(3_000)
  return lost
}

/** Words whose answer is stored as `unknown`, and, where the platform never repeats, words that were never stored. */
async function lostByThePlatform(
  url: string,
  dataDir: string,
  platform: string,
  mayLose: MayLose,
  words: ReadonlyMap<string, number>,
): Promise<readonly string[]> {
  const dead = await everything(url, dataDir, `/api/channels/${platform}/deliveries?dead=true&`)
  expect(dead.filter(({ state }) => state !== 'unknown')).toEqual([])
  const unknown = dead.flatMap(({ text }) => wordsIn(String(text)))
  if (mayLose === 'outbound') return unknown
  const stored = new Set(
    (await everything(url, dataDir, `/api/channels/${platform}/messages?`)).flatMap(({ text }) =>
      wordsIn(String(text)),
    ),
  )
  // only in a span that the channel shows
  const { gaps } = (await call(url, dataDir, 'GET', `/api/channels/${platform}`)) as {
    gaps: { from: number; to: number }[] // the route's own shape
  }
  const told = (atMs: number): boolean => gaps.some(({ from, to }) => from <= atMs && atMs <= to + 1_000)
  const unheard = [...words].flatMap(([word, atMs]) => (!stored.has(word) && told(atMs) ? [word] : []))
  return [...unknown, ...unheard]
}

async function everything(url: string, dataDir: string, route: string): Promise<readonly Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = []
  let before = ''
  for (;;) {
    const page = await call(url, dataDir, 'GET', `${route}limit=200${before}`)
    items.push(...(page['items'] as Record<string, unknown>[])) // the route's own shape
    if (typeof page['next'] !== 'string') return items
    before = `&before=${encodeURIComponent(page['next'])}`
  }
}
