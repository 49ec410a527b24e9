import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { channelEvent } from './api/shapes.ts'
import type { ChannelEvent, Principal } from './channels.ts'
import type { ConversationRecord, TranscriptItem } from './history/history.ts'
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
const PAGE = { limit: 50, before: null }
const never = new AbortController().signal

describe.each(testDatabases)('what the service remembers on %s', (_name, open) => {
  let world: ServiceWorld
  let node: ServiceNode
  const events: ChannelEvent[] = []
  /** Holds a request to the platform back. */
  let hold: (url: string) => Promise<void>
  beforeEach(async () => {
    world = await openServiceWorld(open)
    hold = async () => undefined
    node = await world.start({
      fetch: async (input, init) => {
        await hold(new Request(input).url)
        return fetch(input, init)
      },
    })
    events.length = 0
    void (async () => {
      for await (const event of node.channels.events(OWNER, never)) {
        channelEvent.parse(event)
        events.push(event)
      }
    })()
  })
  afterEach(() => world.close())

  const enable = (): Promise<void> => node.channels.save(OWNER, TELEGRAM, { bot_token: world.token })
  const conversations = async (who: Principal = OWNER): Promise<readonly ConversationRecord[]> =>
    (
      await node.channels.history.conversations(
        who.accountId,
        { ...PAGE, platform: null, q: null, kind: null, state: null },
        never,
      )
    ).items
  const items = async (id: string): Promise<readonly TranscriptItem[]> =>
    (await node.channels.history.conversation(OWNER.accountId, id, PAGE)).items
  const deadOnes = async (who: Principal = OWNER) =>
    (await node.channels.history.deliveries(who.accountId, { ...PAGE, platform: null, dead: true, state: null })).items
  const answered = (count: number): Promise<void> =>
    world.until(
      () => events.filter((event) => event.type === 'message' && event.message.state === 'answered').length === count,
    )
  const delivered = (): Promise<void> => world.until(async () => (await node.channels.metrics()).queued === 0)
  const said = (item: TranscriptItem): string =>
    item.type === 'message' ? `< ${item.message.text}` : `> ${item.delivery.text} (${item.delivery.state})`

  it('shows what was sent before somebody wrote in the conversation that begins then, and lets failures be', async () => {
    await enable()
    expect(await refusal(node.channels.send(OWNER, TELEGRAM, 'Are you there?', '43'))).toMatchObject({
      code: 'delivery_refused',
    })
    const [dead] = await deadOnes()
    expect(dead).toMatchObject({
      platform: TELEGRAM,
      to: { user_id: '43', name: null },
      conversation_id: null,
      dead: true,
    })
    expect(await conversations()).toEqual([])
    await world.clock.advance(1_000)
    await world.control.say({ from: BEN, text: 'hello' })
    await answered(1)
    await delivered()
    const [conversation] = await conversations()
    expect(conversation).toMatchObject({
      platform: TELEGRAM,
      people: [{ user_id: '43', name: 'Ben' }],
      last: { by: 'bot', name: 'Ben', text: 'echo: hello' },
      waiting: 0,
      failed: 1,
    })
    const id = conversation?.id ?? ''
    const shown = ['> echo: hello (delivered)', '< hello', '> Are you there? (refused)']
    expect((await items(id)).map(said)).toEqual(shown)

    const of = dead?.id ?? ''
    expect(await refusal(node.channels.dismiss(OTHER, TELEGRAM, of))).toMatchObject({ code: 'no_credentials' })
    expect(await refusal(node.channels.dismiss(OWNER, TELEGRAM, 'none'))).toMatchObject({ code: 'unknown_delivery' })
    await node.channels.dismiss(OWNER, TELEGRAM, of)
    await world.until(() =>
      events.some(
        (event) =>
          event.type === 'delivery' &&
          event.delivery.id === of &&
          !event.delivery.dead &&
          event.delivery.conversation_id === id &&
          event.delivery.state === 'refused',
      ),
    )
    expect(await refusal(node.channels.dismiss(OWNER, TELEGRAM, of))).toMatchObject({ code: 'delivery_not_dead' })
    expect(await refusal(node.channels.resend(OWNER, TELEGRAM, of))).toMatchObject({ code: 'delivery_not_dead' })
    expect([await deadOnes(), (await items(id)).map(said), (await conversations())[0]?.failed]).toEqual([[], shown, 0])
    expect([await conversations(OTHER), await deadOnes(OTHER)]).toEqual([[], []])
  })

  it('tells each state of a message and in which conversation a delivery stands', async () => {
    await enable()
    await world.control.say({ from: ANN, text: 'hello' })
    await answered(1)
    await delivered()
    await world.until(() => events.some((event) => event.type === 'delivery' && event.delivery.state === 'delivered'))
    const states = events.flatMap((event) => (event.type === 'message' ? [event.message.state] : []))
    expect(states).toEqual(['received', 'answered'])
    const sending = events.flatMap((event) => (event.type === 'delivery' ? [event.delivery.state] : []))
    expect(sending).toEqual(['queued', 'delivered'])
    const [conversation] = await conversations()
    const places = events.flatMap((event) => (event.type === 'delivery' ? [event.delivery.conversation_id] : []))
    expect([...new Set(places)]).toEqual([conversation?.id])
  })

  it('forgets a channel: it stops, its credentials are gone, and a set-up that is under way ends', async () => {
    const { channels } = node
    expect(await refusal(channels.forget(OWNER, TELEGRAM))).toMatchObject({ code: 'no_credentials' })
    await enable()
    await world.control.say({ from: ANN, text: 'hello' })
    await answered(1)
    await delivered()
    const { id, platform } = await channels.setups.start(OWNER, TELEGRAM, { kind: 'paste', fields: {} })
    expect(await refusal(channels.forget(OTHER, TELEGRAM))).toMatchObject({ code: 'no_credentials' })
    await channels.forget(OWNER, TELEGRAM)
    await world.until(() => events.some((event) => event.type === 'state' && event.state === 'stopped'))
    const wait = { version: null, waitMs: 0, signal: never }
    expect(await channels.setups.view({ ...OWNER, platform, id }, wait)).toMatchObject({
      state: 'failed',
      error: 'cancelled',
    })
    expect(await channels.details(OWNER, TELEGRAM)).toMatchObject({ has_config: false, state: 'stopped', secrets: {} })
    const file = path.join(world.dataDir, 'accounts', OWNER.accountId, 'channels.yml')
    const text = await readFile(file, 'utf8').catch(() => '')
    const rows = await world.test.database.db.selectFrom('credential').selectAll().execute()
    expect([text.includes(world.token), rows]).toEqual([false, []])
    expect([await conversations(), await deadOnes()]).toEqual([[], []])
    expect(await refusal(channels.forget(OWNER, TELEGRAM))).toMatchObject({ code: 'no_credentials' })
    // the same bot again: what was said is still there
    await enable()
    expect(await conversations()).toHaveLength(1)
  })

  it('forgets a channel for good while a set-up is asking the platform about new credentials', async () => {
    const { channels } = node
    await enable()
    const asked = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const { id, platform } = await channels.setups.start(OWNER, TELEGRAM, { kind: 'paste', fields: {} })
    hold = async (url) => {
      if (!url.endsWith('/getMe')) return
      asked.resolve()
      await goOn.promise
    }
    channels.setups.answer({ ...OWNER, platform, id }, { bot_token: world.token })
    await asked.promise
    await channels.forget(OWNER, TELEGRAM)
    goOn.resolve()
    const before = events.length
    // asks the platform and stores after the setup would have
    await channels.save(OWNER, TELEGRAM, { bot_token: world.token, enabled: false })
    await channels.forget(OWNER, TELEGRAM)
    await world.until(() => events.length >= before + 2)
    const states = events.slice(before).map((event) => event.type === 'state' && event.state)
    expect(new Set(states)).toEqual(new Set(['stopped']))
    const wait = { version: null, waitMs: 0, signal: never }
    expect((await channels.setups.view({ ...OWNER, platform, id }, wait)).saved).toBe(false)
  })

  it('tells that a channel was saved, changed and forgotten, also when it never ran', async () => {
    const told = async (count: number): Promise<void> => {
      await world.until(() => events.length >= count)
      expect(events).toHaveLength(count)
      expect(events.at(-1)).toMatchObject({ type: 'state', platform: TELEGRAM, state: 'stopped' })
    }
    await node.channels.save(OWNER, TELEGRAM, { bot_token: world.token, enabled: false })
    await told(1)
    await node.channels.save(OWNER, TELEGRAM, { allowed_users: ['42'] })
    await told(2)
    await node.channels.forget(OWNER, TELEGRAM)
    await told(3)
    await enable()
    await world.until(() => events.some((event) => event.type === 'state' && event.state === 'running'))
    const before = events.length
    await node.channels.save(OWNER, TELEGRAM, { allowed_users: ['42'] })
    await world.until(() => events.length > before)
    expect(events.at(-1)).toMatchObject({ type: 'state', state: 'running' })
  })
})
