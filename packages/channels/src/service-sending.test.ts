import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openServiceWorld, OWNER, refusal, type ServiceNode, type ServiceWorld } from './testing/service-world.ts'

const ANN = { id: 42, first_name: 'Ann', username: 'ann' }
const BEN = { id: 43, first_name: 'Ben' }
const TELEGRAM = 'telegram'

describe.each(testDatabases)('sending on %s', (_name, open) => {
  let world: ServiceWorld
  let node: ServiceNode
  beforeEach(async () => {
    world = await openServiceWorld(open)
    node = await world.start()
  })
  afterEach(() => world.close())

  const save = (body: unknown): Promise<void> => node.channels.save(OWNER, TELEGRAM, body)
  const enable = (): Promise<void> => save({ bot_token: world.token })
  const answered = (count: number): Promise<void> =>
    world.until(async () => (await world.control.sent()).length >= count)
  const known = async (...people: { id: number; first_name: string }[]): Promise<void> => {
    const before = (await world.control.sent()).length
    for (const from of people) await world.control.say({ from, text: 'hello' })
    await answered(before + people.length)
    await world.until(async () => (await node.channels.metrics()).queued === 0)
  }
  const bodies = async (): Promise<string[]> => (await world.control.sent()).map(({ text }) => text)

  describe('sending', () => {
    const send = (message: string, userId: string | null = null): Promise<{ deliveryId: string }> =>
      node.channels.send(OWNER, TELEGRAM, message, userId)

    it('needs somebody to send to', async () => {
      await enable()
      expect(await refusal(send('hi'))).toMatchObject({ code: 'no_known_users', status: 503 })
      await known(ANN)
      const { deliveryId } = await send('**done**')
      expect(await bodies()).toEqual(['echo: hello', 'done'])
      expect(await node.channels.delivery(OWNER, TELEGRAM, deliveryId)).toMatchObject({
        state: 'delivered',
        kind: 'send',
        user_id: '42',
      })
      await known(ANN, BEN)
      expect(await refusal(send('hi'))).toMatchObject({
        code: 'user_required',
        status: 422,
        details: { field: 'user_id' },
      })
      await send('for Ben', '43')
      expect((await world.control.sent({ chatId: 43 })).at(-1)?.text).toBe('for Ben')
    })

    it('reads all parts of a long message in one query', async () => {
      await enable()
      await known(ANN)
      const reads: string[] = []
      node.database.onStatement = (statement) => {
        if (statement.startsWith('select') && statement.includes('"delivery"')) reads.push(statement)
      }
      await send('word '.repeat(8_000))
      node.database.onStatement = null
      const parts = (await bodies()).length - 1
      expect(parts).toBeGreaterThan(5)
      expect(reads.some((statement) => / "id" in \(/.test(statement))).toBe(true)
      // one check for each delivery that is done, and one before them; other reads are the outbox's own
      expect(reads.filter((statement) => / "id" = /.test(statement))).toEqual([])
    })

    it('writes to a chat that it has never seen, when the bot can', async () => {
      await enable()
      await world.control.say({ from: ANN, text: 'hello' })
      await answered(1)
      const group = await world.control.createGroup({ group: { id: -500, title: 'Team' } })
      await send('to all', String(group.id))
      expect((await world.control.sent({ chatId: group.id })).map(({ text }) => text)).toEqual(['to all'])
      const error = await refusal(send('hi', '999'))
      expect(error).toMatchObject({
        code: 'delivery_refused',
        status: 502,
        details: { reason: 'recipient_unreachable' },
      })
      expect(error.message).toMatch(/not found|initiate/)
      for (const nobody of ['Ann', '12x', '-']) {
        expect(await refusal(send('hi', nobody))).toMatchObject({ code: 'delivery_refused' })
      }
    })

    it('tells at once when the credentials have been revoked, and why', async () => {
      await enable()
      await known(ANN)
      await world.control.injectFault({ kind: 'unauthorized', method: 'sendMessage', times: null })
      const startedAtMs = world.clock.now()
      const error = await refusal(send('hi'))
      expect(error).toMatchObject({ code: 'delivery_pending', status: 504 })
      expect(error.message).toMatch(/Unauthorized/)
      expect(world.clock.now()).toBe(startedAtMs)
      await world.until(async () => (await node.channels.details(OWNER, TELEGRAM)).state === 'rejected')
      const stopped = await refusal(send('hi'))
      expect(stopped).toMatchObject({ code: 'not_running', status: 400 })
      expect(stopped.message).toMatch(/^The channel isn't running: .*Unauthorized/)
    })

    it('refuses a message that shows nothing, and stores nothing', async () => {
      await enable()
      await known(ANN)
      for (const message of [' ', '\n\n\t', '\u200b']) {
        expect(await refusal(send(message))).toMatchObject({ code: 'message_empty', status: 422 })
      }
      const { items } = await node.channels.deliveries(OWNER, TELEGRAM, { limit: 9, before: null, dead: false })
      expect(items).toHaveLength(1)
    })

    it('says that the person has blocked the bot, and sends it again when they are back', async () => {
      await enable()
      await known(ANN)
      await world.control.block({ chatId: 42 })
      const error = await refusal(send('hi'))
      expect(error).toMatchObject({ code: 'delivery_refused', details: { reason: 'recipient_unreachable' } })
      expect(error.message).toContain('blocked by the user')
      expect(await node.channels.users(OWNER, TELEGRAM)).toMatchObject([{ reachable: false }])
      const id = String(error.details['delivery'])
      expect(await node.channels.details(OWNER, TELEGRAM)).toMatchObject({ dead: 1 })
      expect(await refusal(node.channels.resend(OWNER, TELEGRAM, id))).toMatchObject({ code: 'delivery_refused' })
      await world.control.unblock({ chatId: 42 })
      await node.channels.resend(OWNER, TELEGRAM, id)
      expect(await bodies()).toEqual(['echo: hello', 'hi'])
      expect(await refusal(node.channels.resend(OWNER, TELEGRAM, id))).toMatchObject({
        code: 'delivery_not_dead',
        status: 409,
      })
      expect(await refusal(node.channels.resend(OWNER, TELEGRAM, 'x'))).toMatchObject({
        code: 'unknown_delivery',
        status: 404,
      })
    })

    it('does not put a delivery back that nobody would send', async () => {
      await enable()
      await known(ANN)
      await world.control.block({ chatId: 42 })
      const id = String((await refusal(send('hi'))).details['delivery'])
      await node.channels.disable(OWNER, TELEGRAM)
      expect(await refusal(node.channels.resend(OWNER, TELEGRAM, id))).toMatchObject({
        code: 'not_running',
        status: 400,
      })
      expect(await node.channels.details(OWNER, TELEGRAM)).toMatchObject({ dead: 1, queued: 0 })
    })

    it('tells that it waits when the platform is slow, and sends it once', async () => {
      await enable()
      await known(ANN)
      await world.control.injectFault({ kind: 'rate_limited', retryAfter: 60, method: 'sendMessage' })
      const sending = refusal(send('later'))
      await world.until(async () => (await world.control.requests({ method: 'sendMessage' })).length === 2)
      for (let passedMs = 0; passedMs <= 11_000; passedMs += 500) {
        await node.database.idle()
        await world.clock.advance(500)
      }
      const error = await sending
      expect(error).toMatchObject({ code: 'delivery_pending', status: 504 })
      const id = String(error.details['delivery'])
      await world.clock.advance(60_000)
      await world.until(async () => (await node.channels.delivery(OWNER, TELEGRAM, id)).state === 'delivered', 100)
      expect(await bodies()).toEqual(['echo: hello', 'later'])
    })
  })

  it('pages through what was said and sent, stable while more comes in', async () => {
    await enable()
    await known(ANN)
    for (const n of [1, 2, 3, 4]) await node.channels.send(OWNER, TELEGRAM, `n${n}`, null)
    const first = await node.channels.deliveries(OWNER, TELEGRAM, { limit: 2, before: null, dead: false })
    expect(first.items.map(({ text }) => text)).toEqual(['n4', 'n3'])
    await node.channels.send(OWNER, TELEGRAM, 'n5', null)
    const second = await node.channels.deliveries(OWNER, TELEGRAM, { limit: 2, before: first.next, dead: false })
    expect(second.items.map(({ text }) => text)).toEqual(['n2', 'n1'])
    const last = await node.channels.deliveries(OWNER, TELEGRAM, { limit: 2, before: second.next, dead: false })
    expect(last).toMatchObject({ items: [{ text: 'echo: hello' }], next: null })

    for (const n of [1, 2, 3]) {
      await world.control.say({ from: ANN, text: `m${n}` })
      await answered(6 + n)
    }
    const newest = await node.channels.messages(OWNER, TELEGRAM, { limit: 2, before: null })
    expect(newest.items.map(({ text }) => text)).toEqual(['m3', 'm2'])
    await world.control.say({ from: BEN, text: 'm4' })
    await answered(10)
    const older = await node.channels.messages(OWNER, TELEGRAM, { limit: 2, before: newest.next })
    expect(older).toMatchObject({
      items: [{ text: 'm1' }, { text: 'hello', from: { user_id: '42', name: 'Ann' } }],
      next: null,
    })
  })
})
