import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ChannelEvent } from '../channels.ts'
import { openServiceWorld, OWNER, type ServiceNode, type ServiceWorld } from '../testing/service-world.ts'

const ANN = { id: 42, first_name: 'Ann' }
const TELEGRAM = 'telegram'

describe.each(testDatabases)('a channel that fails, on %s', (_name, open) => {
  let world: ServiceWorld
  let node: ServiceNode
  let states: string[]
  beforeEach(async () => {
    world = await openServiceWorld(open)
    node = await world.start()
    states = []
    const note = (event: ChannelEvent): void => {
      if (event.type === 'state') states.push(`${event.state} ${event.reason ?? ''}`.trim())
    }
    void (async () => {
      for await (const event of node.channels.events(OWNER, AbortSignal.timeout(60_000))) note(event)
    })()
  })
  afterEach(() => world.close())
  const details = (): ReturnType<typeof node.channels.details> => node.channels.details(OWNER, TELEGRAM)
  const is = (state: string): Promise<void> => world.until(async () => (await details()).state === state)
  const save = (): Promise<void> => node.channels.save(OWNER, TELEGRAM, { bot_token: world.token })
  const polling = (): Promise<void> => world.until(async () => (await world.control.bots())[0]?.polling === true)

  it.each<[kind: 'poller_conflict' | 'webhook_conflict', reason: string, message: RegExp]>([
    ['poller_conflict', 'taken_over', /^Another process is receiving messages with this token/],
    ['webhook_conflict', 'configuration', /^A webhook is set for this bot/],
  ])('explains a %s, tries again slowly, and recovers', async (kind, reason, message) => {
    await world.control.injectFault({ kind, method: 'getUpdates' })
    await save()
    const nowMs = world.clock.now()
    expect(await details()).toMatchObject({
      state: 'backing_off',
      running: false,
      enabled: true,
      reason,
      message: expect.stringMatching(message) as unknown,
      since: nowMs,
      retry_at: nowMs + 3_750,
    })
    const polls = await world.polls()
    await world.clock.advance(3_700)
    expect(await world.polls()).toBe(polls)
    await world.clock.advance(50)
    await is('running')
    expect(states).toEqual([`backing_off ${reason}`, 'connecting reconnecting', 'running'])
    expect(await details()).toMatchObject({ reason: null, message: null, retry_at: null, since: nowMs + 3_750 })
  })

  it.each<[how: string, change: () => Promise<void>]>([
    ['the same credentials are saved', () => save()],
    ['it is enabled', () => node.channels.save(OWNER, TELEGRAM, { enabled: true })],
  ])('reconnects at once when %s during a back-off', async (_how, change) => {
    await world.control.injectFault({ kind: 'poller_conflict', method: 'getUpdates' })
    await save()
    expect(await details()).toMatchObject({ state: 'backing_off' })
    await change()
    expect(await details()).toMatchObject({ state: 'running', retry_at: null, since: world.clock.now() })
  })

  it('resets the failure count after a save, then backs off again', async () => {
    await world.control.injectFault({ kind: 'poller_conflict', method: 'getUpdates', times: 4 })
    await save()
    await world.clock.advance(3_750)
    await world.until(async () => (await details()).retry_at === world.clock.now() + 7_500)
    await save()
    expect(await details()).toMatchObject({ state: 'backing_off', retry_at: world.clock.now() + 3_750 })
    const polls = await world.polls()
    await world.clock.advance(3_700)
    expect(await world.polls()).toBe(polls)
  })

  it('goes on after the network was away, and answers what was said meanwhile', async () => {
    await save()
    await is('running')
    await polling()
    const fault = await world.control.injectFault({ kind: 'drop_before', times: null })
    await world.control.dropConnections()
    await is('backing_off')
    await world.control.say({ from: ANN, text: 'hello' })
    expect(await details()).toMatchObject({ running: false, reason: 'network' })
    await world.control.clearFaults(fault)
    await world.clock.advance(1_000)
    await world.until(async () => (await world.control.sent()).length === 1)
    expect(await details()).toMatchObject({ state: 'running', running: true })
  })

  it('stops polling when the token is revoked', async () => {
    await save()
    await polling()
    await world.control.revokeToken({})
    await world.control.say({ from: ANN, text: 'ends the poll that is held' })
    await is('rejected')
    const polls = await world.polls()
    await world.clock.advance(10 * 60_000)
    expect(await world.polls()).toBe(polls)
    expect(await details()).toMatchObject({
      running: false,
      enabled: true,
      reason: 'credentials_rejected',
      retry_at: null,
    })
    expect(states).toEqual(['running', 'rejected credentials_rejected'])
  })

  it('does not acknowledge what it cannot store, says so, and answers it afterwards', async () => {
    await save()
    await polling()
    node.database.failing = (statement) => statement.startsWith('insert into "message"')
    await world.control.say({ from: ANN, text: 'hello' })
    await world.until(() => states.includes('backing_off database_unavailable'))
    expect((await world.control.updates()).confirmed).toEqual([])
    node.database.failing = null
    await world.clock.advance(1_000)
    await world.until(async () => (await world.control.sent()).length === 1)
    expect((await world.control.sent()).map(({ text }) => text)).toEqual(['echo: hello'])
  })
})
