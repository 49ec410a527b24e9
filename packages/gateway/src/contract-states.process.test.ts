import { readFile, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  ANN,
  BO,
  containing,
  type ContractWorld,
  contractWorld,
  LIST,
  SEND,
  TELEGRAM,
  TOKEN,
} from './testing/contract-world.ts'

/**
 * The states of a Telegram channel and what moves it from one to the other, at one real process. The tests are one story:
 * each begins where the one before has left the service.
 */
let world: ContractWorld
beforeAll(async () => {
  world = await contractWorld()
  expect((await world.ask({ path: TELEGRAM, body: { bot_token: TOKEN } })).status).toBe(200)
})
afterAll(() => world[Symbol.asyncDispose]())

const details = async (): Promise<unknown> => (await world.ask({ path: TELEGRAM })).body

it('disabled: nothing is received or sent, and the credentials are kept', async () => {
  expect(await world.ask({ method: 'DELETE', path: TELEGRAM })).toMatchObject({ status: 200, body: { ok: true } })
  expect(await world.entry()).toMatchObject({ enabled: false, running: false, has_config: true, has_token: true })
  await world.expectRefused({ path: SEND, body: { message: 'x', user_id: '42' } }, 400, 'not_running')
  const run = await world.cli(['send', 'telegram', 'x', '--user', '42'])
  expect([run.code, run.err]).toEqual([1, containing('npx gatepost enable telegram')])
})

it('enabled again: from what is stored', async () => {
  expect(await world.ask({ path: TELEGRAM, body: { enabled: true } })).toMatchObject({
    status: 200,
    body: { ok: true },
  })
  expect(await world.entry()).toMatchObject({ enabled: true, running: true })
  expect(await world.cli(['disable', 'platform_e'])).toMatchObject({ code: 0 })
  expect(await world.cli(['enable', 'platform_e'])).toMatchObject({ code: 0, out: containing('running') })
})

it('answers only those who are allowed', async () => {
  expect(await world.cli(['reconfigure', 'telegram', '--allowed-users', '43'])).toMatchObject({ code: 0 })
  expect(await world.entry()).toMatchObject({ allowed_users: ['43'], running: true })
  await world.telegram.say({ from: ANN, text: 'not for you' })
  await world.telegram.say({ from: BO, text: 'for you' })
  await expect.poll(async () => (await world.shown(43)).join()).toContain('for you')
  expect((await world.shown(42)).join()).not.toContain('not for you')
  expect((await world.ask({ path: TELEGRAM, body: { allowed_users: [] } })).status).toBe(200)
})

it('edited by hand: noticed; broken: refused with its place, and not overwritten', async () => {
  const good = await readFile(world.channelFile, 'utf8')
  await writeFile(world.channelFile, good.replace('enabled: true', 'enabled: false'))
  await expect.poll(world.entry).toMatchObject({ enabled: false, running: false })
  await writeFile(world.channelFile, `${good}  more: [1\n`)
  await world.expectRefused({ path: LIST }, 503, 'config_broken', expect.stringMatching(/line \d+, column \d+/))
  await world.expectRefused({ path: TELEGRAM, body: { enabled: true } }, 503, 'config_broken')
  expect(await readFile(world.channelFile, 'utf8')).toBe(`${good}  more: [1\n`)
  expect(await world.cli(['doctor'])).toMatchObject({ code: 1, out: expect.stringMatching(/FAIL {2}Configuration/) })
  await writeFile(world.channelFile, good)
  await expect.poll(world.entry).toMatchObject({ enabled: true, running: true })
})

it('killed while people talk: everything is answered once', async () => {
  const words = Array.from({ length: 20 }, (_, index) => `killed${index}.`)
  const said = words.map((text, index) => world.telegram.say({ from: { id: 100 + index, first_name: 'P' }, text }))
  await Promise.all(said.slice(0, 10))
  await world.killAndStart()
  const answers = async (): Promise<readonly number[]> =>
    Promise.all(
      words.map(async (word, index) => (await world.shown(100 + index)).filter((text) => text.includes(word)).length),
    )
  await expect.poll(answers).toEqual(words.map(() => 1))
})

it('the database locked: 503, nothing acknowledged, and all is well afterwards', async () => {
  const other = new DatabaseSync(world.database, { timeout: 100_000 })
  other.exec('begin immediate')
  await world.expectRefused({ path: SEND, body: { message: 'x', user_id: '42' } }, 503, 'database_unavailable')
  const { updateId } = await world.telegram.say({ from: ANN, text: 'while locked' })
  await expect.poll(world.entry).toMatchObject({ enabled: true, running: false })
  const { pending } = await world.telegram.updates()
  expect(pending.map(({ update }) => update.update_id)).toContain(updateId)
  other.close()
  await expect.poll(async () => (await world.shown(42)).at(-1)).toContain('while locked')
})

it('revoked: it no longer runs, and says why', async () => {
  await world.telegram.revokeToken({})
  await world.telegram.dropConnections()
  await expect.poll(details).toMatchObject({
    enabled: true,
    running: false,
    state: 'rejected',
    reason: 'credentials_rejected',
  })
  expect((await world.ask({ path: '/readyz' })).status).toBe(503)
  const run = await world.cli(['status', 'telegram'])
  expect([run.code, run.out]).toEqual([0, containing('Unauthorized')])
  expect(await world.cli(['doctor', 'telegram'])).toMatchObject({ code: 1, out: containing('BotFather') })
})

it('no token stands in anything that the process has logged', async () => {
  expect(await world.gateway().stop()).toBe(0)
  expect(world.gateway().log.join('\n')).not.toContain(TOKEN.split(':')[1])
  expect(await world.cli(['status'])).toMatchObject({
    code: 3,
    err: containing('Nothing is configured: no Gatepost'),
  })
})
