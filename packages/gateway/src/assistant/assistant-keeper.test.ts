import { createAssistantKeeper } from './assistant-keeper.ts'
import { liveAssistant } from './compose.ts'
import { gatewayMigrations, type GatewayTables } from '../accounts/schema.ts'
import type { Assistant, AssistantSettings, AssistantSettingsInput, AssistantTurn } from '@gatepost/channels'
import { migrate } from '@gatepost/sql'
import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const NOW = 1_800_000_000_000
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f']
const KEY = 'made-up-key-of-an-endpoint'
const turn: AssistantTurn = {
  id: 't',
  conversationId: 'c',
  platform: 'telegram',
  chat: { kind: 'direct' },
  messages: [],
}

/** Seals so that a test can see by which key. */
const createSealer = (key: string) => ({
  reseal: (sealed: string) => sealed,
  seal: (text: string, context: string) => Buffer.from(`${key} ${context} ${text}`).toString('base64url'),
  open(sealed: string, context: string) {
    const text = Buffer.from(sealed, 'base64url').toString()
    if (!text.startsWith(`${key} ${context} `)) throw new Error('another key')
    return text.slice(`${key} ${context} `.length)
  },
})

describe.each(testDatabases)('the kept assistant on %s', (_name, open) => {
  let test: Awaited<ReturnType<typeof open<GatewayTables>>>
  beforeEach(async () => {
    test = await open<GatewayTables>({
      name: 'assistant',
      run: async (database) =>
        void (await migrate(database, { owner: 'gateway', migrations: gatewayMigrations, nowMs: NOW })),
    })
  })
  afterEach(() => test.close())

  const createKeeper = (key = 'one') =>
    createAssistantKeeper({
      database: test.database,
      sealer: createSealer(key),
      clock: { now: () => NOW, sleep: async () => undefined },
    })

  it('is one sealed row, changed by one at a time, and forgotten', async () => {
    const keeper = createKeeper()
    expect(await keeper.read()).toEqual({ stored: {}, version: null, changedAtMs: null })
    const at = async (name: string) => keeper.change((stored) => ({ ...stored, model: `${stored.model ?? ''}${name}` }))
    await Promise.all(NAMES.map(at))
    const kept = await keeper.read()
    expect(kept.stored.model?.split('').toSorted()).toEqual(NAMES)
    expect(kept.changedAtMs).toBe(NOW)
    await keeper.change(() => ({ kind: 'http', url: 'https://a.example.org/', apiKey: KEY }))
    const rows = await test.database.db.selectFrom('gateway_assistant').selectAll().execute()
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(KEY)
    await keeper.reset()
    expect(await keeper.read()).toEqual({ stored: {}, version: null, changedAtMs: null })
  })

  it('is refused with another secret key, and can be forgotten all the same', async () => {
    await createKeeper().change(() => ({ kind: 'echo' }))
    const other = createKeeper('two')
    await expect(other.read()).rejects.toMatchObject({ code: 'assistant_unreadable' })
    const assistant = liveAssistant(other, {}, never)
    await expect(Array.fromAsync(assistant.reply(turn, unlimited))).rejects.toMatchObject({
      name: 'AssistantError',
      code: 'misconfigured',
    })
    await other.reset()
    expect((await other.read()).version).toBeNull()
  })

  it('answers on every node from the next turn on, and is made once for each change', async () => {
    const made: AssistantSettings[] = []
    const env: AssistantSettingsInput = { systemPrompt: 'Be kind.' }
    const make = (settings: AssistantSettings): Assistant => {
      made.push(settings)
      return {
        async *reply() {
          yield { type: 'text', text: settings.kind === 'openai' ? settings.model : settings.kind }
        },
      }
    }
    const nodes = [createKeeper(), createKeeper()].map((keeper) => liveAssistant(keeper, env, make))
    const said = () =>
      Promise.all(nodes.map(async (node) => Array.fromAsync(node.reply(turn, unlimited), (piece) => piece)))
    const both = (text: string) => [[{ type: 'text', text }], [{ type: 'text', text }]]
    expect(await said()).toEqual(both('echo'))
    const keeper = createKeeper()
    await keeper.change(() => ({ kind: 'openai', baseUrl: 'https://a.example.org/v1', model: 'large' }))
    expect(await said()).toEqual(both('large'))
    expect(await said()).toEqual(both('large'))
    await keeper.reset()
    expect(await said()).toEqual(both('echo'))
    expect(made.map(({ kind }) => kind)).toEqual(['echo', 'echo', 'openai', 'openai', 'echo', 'echo'])
    expect(made[2]).toMatchObject({ systemPrompt: 'Be kind.' })
    await test.database.close()
    await expect(said()).rejects.toMatchObject({ name: 'AssistantError', code: 'unreachable' })
  })
})

const unlimited = new AbortController().signal
const never = (): never => {
  throw new Error('nothing can be made of this')
}
