import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ChannelEvent } from './channels.ts'
import {
  openServiceWorld,
  OTHER,
  OWNER,
  refusal,
  type ServiceNode,
  type ServiceWorld,
} from './testing/service-world.ts'

const ANN = { id: 42, first_name: 'Ann', username: 'ann' }
const BEN = { id: 43, first_name: 'Ben' }
const TELEGRAM = 'telegram'
const never = new AbortController().signal

describe.each(testDatabases)('the channels service on %s', (_name, open) => {
  let world: ServiceWorld
  let node: ServiceNode
  beforeEach(async () => {
    world = await openServiceWorld(open)
    node = await world.start()
  })
  afterEach(() => world.close())

  const save = (body: unknown): Promise<void> => node.channels.save(OWNER, TELEGRAM, body)
  const enable = (): Promise<void> => save({ bot_token: world.token })
  const entry = async (): Promise<object | undefined> =>
    (await node.channels.list(OWNER)).find(({ platform }) => platform === TELEGRAM)
  const state = async (): Promise<string> => (await node.channels.details(OWNER, TELEGRAM)).state
  const answered = (count: number): Promise<void> =>
    world.until(async () => (await world.control.sent()).length >= count)
  const known = async (...people: { id: number; first_name: string }[]): Promise<void> => {
    const before = (await world.control.sent()).length
    for (const from of people) await world.control.say({ from, text: 'hello' })
    await answered(before + people.length)
    await world.until(async () => (await node.channels.metrics()).queued === 0)
  }
  const bodies = async (): Promise<string[]> => (await world.control.sent()).map(({ text }) => text)

  it('has nothing to show of a channel without credentials', async () => {
    const { channels } = node
    const page = { limit: 10, before: null, dead: false }
    for (const work of [
      () => channels.disable(OWNER, TELEGRAM),
      () => channels.test(OWNER, TELEGRAM, undefined),
      () => channels.users(OWNER, TELEGRAM),
      () => channels.messages(OWNER, TELEGRAM, page),
      () => channels.deliveries(OWNER, TELEGRAM, page),
      () => channels.resend(OWNER, TELEGRAM, 'x'),
    ]) {
      expect(await refusal(work())).toMatchObject({ code: 'no_credentials', status: 404 })
    }
    expect(await refusal(channels.send(OWNER, TELEGRAM, 'x', null))).toMatchObject({ code: 'not_running', status: 400 })
    expect(await channels.details(OWNER, TELEGRAM)).toMatchObject({
      state: 'stopped',
      since: world.clock.now(),
      bot: null,
      queued: 0,
      gaps: [],
    })
  })

  it('tests credentials and stores nothing', async () => {
    const bot = { id: world.token.split(':')[0], name: '@gatepost_bot' }
    expect(await node.channels.test(OWNER, TELEGRAM, { bot_token: world.token })).toEqual({ bot })
    expect(await entry()).toMatchObject({ has_config: false })
    await enable()
    expect(await node.channels.test(OWNER, TELEGRAM, undefined)).toEqual({ bot })
    const error = await refusal(node.channels.test(OWNER, TELEGRAM, { bot_token: `7:${'y'.repeat(35)}` }))
    expect(error).toMatchObject({ code: 'credentials_rejected', message: 'Unauthorized' })
    expect(await state()).toBe('running')
  })

  it('answers after enabling what was said while it was disabled', async () => {
    await enable()
    await known(ANN)
    await world.clock.advance(1_000)
    await node.channels.disable(OWNER, TELEGRAM)
    expect(await entry()).toMatchObject({ enabled: false, running: false, has_config: true })
    expect(await node.channels.details(OWNER, TELEGRAM)).toMatchObject({ state: 'stopped', since: world.clock.now() })
    await world.control.say({ from: ANN, text: 'are you there?' })
    expect(await refusal(node.channels.send(OWNER, TELEGRAM, 'x', '42'))).toMatchObject({ code: 'not_running' })
    await save({ enabled: true })
    await answered(2)
    expect(await bodies()).toEqual(['echo: hello', 'echo: are you there?'])
  })

  it('asks who may write at every message, without a restart', async () => {
    await enable()
    await known(ANN)
    const polled = (await world.control.requests({ method: 'getMe' })).length
    await save({ allowed_users: ['43'] })
    await world.control.say({ from: ANN, text: 'still?' })
    await world.control.say({ from: BEN, text: 'me?' })
    await answered(2)
    expect(await bodies()).toEqual(['echo: hello', 'echo: me?'])
    expect(await world.control.requests({ method: 'getMe' })).toHaveLength(polled)
    const users = await node.channels.users(OWNER, TELEGRAM)
    expect(users.map(({ user_id, allowed }) => [user_id, allowed])).toEqual(
      expect.arrayContaining([
        ['42', false],
        ['43', true],
      ]),
    )
  })

  it('shows a secret nowhere', async () => {
    const events: ChannelEvent[] = []
    const ended = (async () => {
      for await (const event of node.channels.events(OWNER, AbortSignal.timeout(60_000))) events.push(event)
    })()
    await enable()
    await known(ANN)
    const shown = [
      await node.channels.list(OWNER),
      await node.channels.details(OWNER, TELEGRAM),
      await node.channels.users(OWNER, TELEGRAM),
      await node.channels.messages(OWNER, TELEGRAM, { limit: 9, before: null }),
      await node.channels.diagnose(OWNER, TELEGRAM, never),
    ]
    await world.control.revokeToken({})
    await world.control.say({ from: ANN, text: 'again' })
    await world.until(async () => (await state()) === 'rejected')
    shown.push(await node.channels.diagnose(OWNER, TELEGRAM, never))
    await node.stop()
    await ended
    const text = JSON.stringify([shown, events, world.log])
    expect(text).not.toContain(world.token.split(':')[1])
    expect(text).not.toContain('the secret key of the tests')
    expect(events.length).toBeGreaterThan(3)
  })

  it('tells what happens in its order, to the account that it concerns', async () => {
    const events: ChannelEvent[] = []
    const others: ChannelEvent[] = []
    const over = new AbortController()
    const listening = [
      (async () => {
        for await (const event of node.channels.events(OWNER, over.signal)) events.push(event)
      })(),
      (async () => {
        for await (const event of node.channels.events(OTHER, over.signal)) others.push(event)
      })(),
    ]
    await enable()
    await known(ANN)
    await node.channels.disable(OWNER, TELEGRAM)
    over.abort()
    await Promise.all(listening)
    const short = events.map((event) =>
      event.type === 'state' ? event.state : event.type === 'message' ? event.message.state : event.delivery.state,
    )
    expect(short).toEqual(['running', 'received', 'queued', 'answered', 'delivered', 'stopped'])
    expect(others).toEqual([])
  })

  it('counts what it does, and is ready while everything enabled runs', async () => {
    expect(await node.channels.readiness()).toEqual({ database: true, enabled: 0, running: 0 })
    await enable()
    await known(ANN)
    expect(await node.channels.readiness()).toEqual({ database: true, enabled: 1, running: 1 })
    expect(await node.channels.metrics()).toMatchObject({
      channels: [{ platform: 'telegram', state: 'running' }],
      received: 1,
      turns: { answered: 1 },
      deliveries: { delivered: 1 },
      queued: 0,
      answerMs: { count: 1 },
    })
    await world.control.revokeToken({})
    await world.control.say({ from: ANN, text: 'x' })
    await world.until(async () => (await state()) === 'rejected')
    expect(await node.channels.readiness()).toEqual({ database: true, enabled: 1, running: 0 })
    node.database.failing = () => true
    expect(await node.channels.readiness()).toMatchObject({ database: false })
    node.database.failing = null
  })

  it('says what to do about each thing that is wrong', async () => {
    const checks = async (): Promise<[string, string][]> =>
      (await node.channels.diagnose(OWNER, TELEGRAM, never)).map(({ id, status }) => [id, status])
    expect(await checks()).toEqual([
      ['config_readable', 'pass'],
      ['credentials_present', 'fail'],
    ])
    await enable()
    expect(await checks()).toEqual(
      expect.arrayContaining([
        ['config_readable', 'pass'],
        ['credentials_present', 'pass'],
        ['channel_running', 'pass'],
      ]),
    )
    await node.channels.disable(OWNER, TELEGRAM)
    const found = await node.channels.diagnose(OWNER, TELEGRAM, never)
    expect(found.find(({ id }) => id === 'channel_running')).toMatchObject({
      status: 'fail',
      remedy: 'Run: npx gatepost enable telegram',
    })
    for (const check of found) if (check.status === 'fail') expect(check.remedy).toBeTruthy()
  })

  it('stops within its time while a send hangs, and the next process finds out what became of it', async () => {
    await enable()
    await known(ANN)
    await world.control.injectFault({ kind: 'hang', method: 'sendMessage' })
    const sending = refusal(node.channels.send(OWNER, TELEGRAM, 'slow', null))
    await world.until(async () => (await world.control.requests({ method: 'sendMessage' })).length === 2)
    await node.stop(50)
    await world.clock.advance(10_000)
    expect((await sending).code).toMatch(/^delivery_(pending|unknown)$/)
    node = await world.start()
    await world.until(async () => (await node.channels.details(OWNER, TELEGRAM)).queued === 0, 500)
    expect((await bodies()).filter((text) => text === 'slow').length).toBeLessThanOrEqual(1)
  })
})
