import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ChannelDetails } from './channels.ts'
import {
  LEASE_MS,
  openServiceWorld,
  OTHER,
  OWNER,
  refusal,
  type ServiceNode,
  type ServiceWorld,
} from './testing/service-world.ts'

const ANN = { id: 42, first_name: 'Ann' }
const TELEGRAM = 'telegram'

/** The platform holds the poll of a second process for some seconds, by its own clock. */
const PATIENCE_MS = 60_000

describe.each(testDatabases)('nodes on one %s database', { timeout: PATIENCE_MS }, (_name, open) => {
  let world: ServiceWorld
  let one: ServiceNode
  beforeEach(async () => {
    world = await openServiceWorld(open)
    one = await world.start()
    await one.channels.save(OWNER, TELEGRAM, { bot_token: world.token })
  })
  afterEach(() => world.close())
  const details = (node: ServiceNode): Promise<ChannelDetails> => node.channels.details(OWNER, TELEGRAM)
  const running = (node: ServiceNode): Promise<void> =>
    world.until(async () => (await details(node)).state === 'running')
  /** Second by second, with everything done in between that the databases are asked. */
  async function pass(ms: number, ...nodes: ServiceNode[]): Promise<void> {
    for (let left = ms; left > 0; left -= 1_000) {
      await world.clock.advance(1_000)
      for (const node of nodes) await node.database.idle()
    }
  }
  const conversation = async (): Promise<string[]> => (await world.control.sent()).map(({ text }) => text)
  /** The time goes on, no faster than the databases answer, until it is so. */
  async function goOn(so: () => boolean | Promise<boolean>, ...nodes: ServiceNode[]): Promise<void> {
    while (!(await so())) await pass(1_000, ...nodes)
  }
  const answered = (count: number, ...nodes: ServiceNode[]): Promise<void> =>
    goOn(async () => (await conversation()).length === count, ...nodes)
  const conflicts = async (): Promise<number> =>
    (await world.control.requests({ method: 'getUpdates' })).filter(({ status }) => status === 409).length

  it('let one poll and the other show how it is, and send', async () => {
    const two = await world.start()
    await running(two)
    expect(await details(two)).toMatchObject({
      state: 'running',
      running: true,
      since: (await details(one)).since,
      bot: { name: '@gatepost_bot' },
      send_budget: null,
    })
    expect(await two.channels.readiness()).toEqual({ database: true, enabled: 1, running: 1 })
    await pass(LEASE_MS + 5_000, one, two)
    await world.control.say({ from: ANN, text: 'hello' })
    await answered(1, one, two)
    let sent = false
    const sending = two.channels.send(OWNER, TELEGRAM, 'from two', null).then(() => (sent = true))
    await goOn(() => sent, one, two)
    await sending
    expect(await conversation()).toEqual(['echo: hello', 'from two'])
    expect(await conflicts()).toBe(0)
    expect(await world.control.requests({ method: 'getMe' })).toHaveLength(2)
  })

  it('end a back-off of the one when credentials are saved through the other', async () => {
    const two = await world.start()
    await running(two)
    await world.control.injectFault({ kind: 'poller_conflict', method: 'getUpdates' })
    await world.control.dropConnections()
    await goOn(async () => (await details(one)).reason === 'taken_over', one, two)
    const retryAtMs = (await details(one)).retry_at ?? 0
    await two.channels.save(OWNER, TELEGRAM, { bot_token: world.token })
    await goOn(async () => (await details(one)).state === 'running', one, two)
    expect((await details(one)).since).toBeLessThan(retryAtMs)
  })

  it('hand over as soon as one stops, and answer what was said in between', async () => {
    const two = await world.start()
    await running(two)
    await one.stop()
    await world.control.say({ from: ANN, text: 'in between' })
    expect(await conversation()).toEqual([])
    // soon enough for a person who waits
    await pass(3_000, two)
    await answered(1, two)
    expect(await conversation()).toEqual(['echo: in between'])
    expect((await details(two)).state).toBe('running')
    expect(await conflicts()).toBe(0)
  })

  it('hand over when the holder cannot reach the database, which stops in time and does not answer twice', async () => {
    const two = await world.start()
    await running(two)
    const lapsesAtMs = world.clock.now() + LEASE_MS
    one.database.failing = () => true
    await world.until(
      () => world.log.some((line) => line.startsWith('Released a lease that could not be renewed')),
      100,
    )
    expect(world.clock.now()).toBeLessThan(lapsesAtMs)
    await world.control.say({ from: ANN, text: 'anybody?' })
    await pass(5_000, two)
    await answered(1, two)
    one.database.failing = null
    await pass(5_000, one, two)
    await running(one)
    expect(await conversation()).toEqual(['echo: anybody?'])
    expect(await conflicts()).toBe(0)
  })

  it('keep the bot while they stop, so that nobody else sends meanwhile', async () => {
    await world.control.injectFault({ kind: 'hang', method: 'sendMessage' })
    await world.control.say({ from: ANN, text: 'hello' })
    const sends = async (): Promise<number> => (await world.control.requests({ method: 'sendMessage' })).length
    await world.until(async () => (await sends()) === 1)
    const two = await world.start()
    const stopped = one.stop(1_500)
    await pass(LEASE_MS + 5_000, one, two)
    const lease = await world.test.database.db.selectFrom('lease').selectAll().executeTakeFirstOrThrow()
    expect(lease.epoch).toBe(1)
    expect(lease.expires_at_ms).toBeGreaterThan(world.clock.now())
    await stopped
    const dead = { limit: 10, before: null, dead: true } as const
    await goOn(async () => (await two.channels.deliveries(OWNER, TELEGRAM, dead)).items.length === 1, two)
    const { items } = await two.channels.deliveries(OWNER, TELEGRAM, dead)
    expect(items).toMatchObject([{ text: 'echo: hello', state: 'unknown' }])
    expect(await sends()).toBe(1)
  })

  it('take over a change of credentials that another one has stored', async () => {
    const two = await world.start()
    await running(two)
    await two.channels.disable(OWNER, TELEGRAM)
    await pass(2_000, one, two)
    await world.until(async () => (await details(one)).state === 'stopped')
    await one.channels.save(OWNER, TELEGRAM, { enabled: true, allowed_users: ['43'] })
    await pass(2_000, one, two)
    await running(one)
    await running(two)
    await world.control.say({ from: ANN, text: 'hello' })
    await world.until(
      async () => (await two.channels.messages(OWNER, TELEGRAM, { limit: 1, before: null })).items.length === 1,
    )
    expect(await conversation()).toEqual([])
  })

  it('do not show the state of one account to another that has stored the same bot', async () => {
    await one.channels.disable(OWNER, TELEGRAM)
    await one.channels.save(OTHER, TELEGRAM, { bot_token: world.token })
    await one.stop()
    const { token } = world
    // as two nodes can that are told at the same moment
    const two = await world.start()
    await world.until(async () => (await two.channels.details(OTHER, TELEGRAM)).state === 'running')
    const error = await refusal(two.channels.save(OWNER, TELEGRAM, { bot_token: token }))
    expect(error).toMatchObject({ code: 'bot_in_use', status: 409 })
    const entries = await two.channels.list(OWNER)
    expect(entries.find(({ platform }) => platform === TELEGRAM)).toMatchObject({ enabled: false, running: false })
  })
})
