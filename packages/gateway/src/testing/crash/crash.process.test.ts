import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DEFAULT_BOT, startTelegramEmulator, type TelegramControl } from '@gatepost/emulators'
import { testDatabases } from '@gatepost/sql/testing'
import { expect, it } from 'vitest'
import { startGatewayProcess, call, type GatewayProcess } from './gateway-process.ts'
import { startSlowAssistant, pause, seededRandom, shownWords, talk } from './talkers.ts'

/** How often the process is killed while people talk. */
const KILLS = { sqlite: 50, postgres: 20 } as const
const PEOPLE = 20
const SEED = Number(process.env['CRASH_SEED'] ?? 20_261_121)

it.each(testDatabases)(
  'killed at random instants on %s, it answers everything once',
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
      const people = talk(emulator.control, PEOPLE, random)
      let midway = 0
      for (let kill = 0; kill < KILLS[name]; kill += 1) {
        await gateway.ready
        await pause(random() * 700)
        await gateway.kill()
        if ((await unanswered(emulator.control, people.words)) > 0) midway += 1
        gateway = startGatewayProcess(settings)
        // one in four dies while it is still starting
        if (random() < 0.25) {
          await pause(random() * 400)
          await gateway.kill()
          gateway = startGatewayProcess(settings)
        }
      }
      await people.stop()
      await gateway.ready
      await answered(emulator.control, people.words, gateway)
      // late doubles would come from what a killed process left undecided
      await pause(4_000)
      const shown = await shownWords(emulator.control)
      const lost = [...people.words].filter((word) => !shown.has(word))
      const doubled = [...shown].filter(([, times]) => times > 1)
      expect({ lost, doubled }).toEqual({ lost: [], doubled: [] })
      expect(await dead(await gateway.ready, dataDir)).toEqual([])
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
  600_000,
)

async function connect(url: string, dataDir: string): Promise<void> {
  const answer = await call(url, dataDir, 'POST', '/api/channels/telegram', { bot_token: DEFAULT_BOT.token })
  expect(answer).toEqual({ ok: true })
}

async function dead(url: string, dataDir: string): Promise<unknown> {
  const answer = await call(url, dataDir, 'GET', '/api/channels/telegram/deliveries?dead=true')
  return answer.items
}

async function unanswered(control: TelegramControl, words: ReadonlySet<string>): Promise<number> {
  const shown = await shownWords(control)
  return [...words].filter((word) => !shown.has(word)).length
}

/** Waits until everything is answered. @throws with the gateway's log after a minute */
async function answered(control: TelegramControl, words: ReadonlySet<string>, gateway: GatewayProcess): Promise<void> {
  for (let tries = 0; tries < 240; tries += 1) {
    if ((await unanswered(control, words)) === 0) return
    await pause(250)
  }
  const shown = await shownWords(control)
  const missing = [...words].filter((word) => !shown.has(word))
  throw new Error(`Not answered: ${missing.join(' ')}\n${gateway.log.slice(-40).join('\n')}`)
}
