import { expect, it } from 'vitest'
import { run, never } from '../wire/testing.ts'
import { feishu } from './platform.ts'
import { listBodies, CHAT, openScene } from './testing.ts'

const MINUTE_MS = 60_000
const containing = (part: string): unknown => expect.stringContaining(part)

it('refuses an event that could not be stored, so that it comes again', async () => {
  const { world, connection } = await openScene()
  await world.say('hello')
  const full = new Error('disk full')
  expect(await run(connection, { accept: (batch) => (batch.length > 0 ? Promise.reject(full) : null) }).ended).toBe(
    full,
  )
  await expect.poll(() => listBodies(world, 'ack')).toEqual([{ code: 500 }])
  await run(connection).message('hello')
  await expect.poll(async () => (await world.control.events())[0]?.confirmedAtMs).toEqual(expect.any(Number))
})

it('takes an event in pieces, and knows one that comes twice', async () => {
  const { world, connection } = await openScene()
  await world.control.injectFault({ kind: 'fragment', parts: 3 })
  await world.control.injectFault({ kind: 'ignore_ack' })
  await world.say('in pieces')
  const heard = run(connection)
  await heard.until(() => heard.events.length === 2)
  expect(new Set(heard.events.map(({ key }) => key)).size).toBe(1)
})

it('keeps the order though a quote has to be read first, and says what is quoted', async () => {
  const { world, connection } = await openScene()
  const { messageId, chat } = await world.say('the first words')
  const heard = run(connection)
  await heard.message('the first words')
  await world.control.injectFault({ kind: 'slow', ms: 100, method: 'im.v1.messages.get' })
  await world.control.say({ from: { id: 'ou_ann' }, text: 'about those', replyTo: messageId })
  await world.say('the last words')
  await heard.message('the last words')
  expect(heard.events.slice(1)).toMatchObject([
    { text: 'about those', chat, quoted: { messageId, text: 'the first words' } },
    { text: 'the last words' },
  ])
})

it('hands a message on without the quote when that cannot be read', async () => {
  const { world, connection } = await openScene()
  const { messageId } = await world.say('the first words')
  const heard = run(connection)
  await heard.message('the first words')
  await world.control.injectFault({ kind: 'error', code: 230027, method: 'im.v1.messages.get' })
  await world.control.say({ from: { id: 'ou_ann' }, text: 'about those', replyTo: messageId })
  expect(await heard.message('about those')).toMatchObject({ quoted: { messageId, text: '' } })
})

it.each([
  ['the connection drops', 'network'],
  ['discovery names no address', 'network'],
  ['discovery refuses the app', 'credentials_rejected'],
  ['the platform is busy', 'network'],
  ['there are too many connections', 'taken_over'],
  ['the socket is refused', 'network'],
])('ends with a class that fits: %s', async (what, code) => {
  const { world, io } = await openScene()
  const fault = async (error: { code: number; withData?: boolean }): Promise<unknown> =>
    world.control.injectFault({ kind: 'error', method: 'ws.endpoint', ...error })
  const nowhere: typeof globalThis.fetch = async (input, init) => {
    const isDiscovery = String(input instanceof Request ? input.url : input).endsWith('/callback/ws/endpoint')
    return isDiscovery ? Response.json({ code: 0, msg: '' }) : globalThis.fetch(input, init)
  }
  const fetch = what === 'discovery names no address' ? nowhere : io.fetch
  const connection = feishu.connect(world.credentials, { ...io, fetch })
  if (what === 'discovery refuses the app') await fault({ code: 514 })
  if (what === 'the platform is busy') await fault({ code: 1000040343, withData: true })
  if (what === 'there are too many connections') await fault({ code: 1000040350 })
  if (what === 'the socket is refused') await world.control.injectFault({ kind: 'drop_before', method: 'open' })
  const heard = run(connection)
  if (what === 'the connection drops') {
    await heard.alive()
    await world.control.dropConnections()
  }
  expect(await heard.ended).toMatchObject({ name: 'ConnectionError', code })
})

it('notices a line on which pings stay unanswered', async () => {
  const { world, connection, clock } = await openScene({ client: { PingInterval: 100 } })
  await world.control.injectFault({ kind: 'withhold_pong', times: null })
  const heard = run(connection)
  await heard.alive()
  await clock.advance(75_000)
  expect(await heard.ended).toMatchObject({ code: 'network' })
})

it('opens no address that leads elsewhere than the platform may lead', async () => {
  const { world, io } = await openScene()
  const asked: string[] = []
  const fetch: typeof globalThis.fetch = (input, init) => {
    const url = input instanceof Request ? input.url : input.toString()
    asked.push(url)
    return globalThis.fetch(url.replace('https://open.feishu.cn', world.url), init)
  }
  const host = (_name: string, fallback: string): string => fallback
  const connection = feishu.connect(world.credentials, { ...io, fetch, host })
  expect(await run(connection).ended).toMatchObject({ code: 'network', message: containing('untrusted') })
  expect(asked.at(-1)).toBe('https://open.feishu.cn/callback/ws/endpoint')
})

it.each([
  ['a scope', { kind: 'scope', scope: 'im:message.p2p_msg:readonly', granted: false }, 'im:message.p2p_msg:readonly'],
  ['a version', { kind: 'activate_status', status: 1 }, 'published'],
] as const)('goes on and tells the operator that %s is missing', async (_what, fault, words) => {
  const { world, connection } = await openScene()
  await world.control.injectFault(fault)
  const heard = run(connection)
  await heard.until(() => heard.problems.length > 0)
  expect(heard.problems).toEqual([{ code: 'configuration', message: containing(words) }])
})

it('tells of a second program that is connected as the same app, and when it is gone', async () => {
  const { world, connection, io, clock } = await openScene({ client: { PingInterval: 600 } })
  const heard = run(connection)
  await heard.alive()
  const other = run(feishu.connect(world.credentials, io))
  await other.alive()
  await clock.untilSleeping(6)
  await clock.advance(MINUTE_MS)
  await heard.until(() => heard.problems.length > 0)
  expect(heard.problems).toMatchObject([{ code: 'taken_over', message: containing('2 programs') }])
  await other.stop()
  await expect.poll(async () => (await world.control.bot()).connected).toBe(true)
  await clock.untilSleeping(3)
  await clock.advance(5 * MINUTE_MS)
  await heard.until(() => heard.problems.length > 1)
  expect(heard.problems.at(-1)).toBeNull()
})

it('reads from the history what was said while nobody listened', async () => {
  const { world, connection, io } = await openScene({ redeliverMs: [] })
  const lastHeardMs = io.clock.now() - 10 * MINUTE_MS
  for (const text of ['missed one', 'missed two']) await world.say(text)
  await connection.send({ kind: 'text', deliveryId: 'a.1', chat: CHAT, body: 'own', plain: false }, never)
  const heard = run(connection, { lastHeardMs, chats: [CHAT] })
  await heard.until(() => heard.batches.at(-1)?.cursor === 'caught up')
  expect(heard.events).toMatchObject([
    { text: 'missed one', chat: CHAT, from: { id: 'ou_ann' }, addressed: true },
    { text: 'missed two', chat: CHAT },
  ])
  expect(heard.batches[0]?.cursor).toBe(`since:${lastHeardMs}`)
  expect(heard.gaps).toEqual([])
})

it('takes up a reading of the history that was broken off', async () => {
  const { world, connection, io } = await openScene({ redeliverMs: [] })
  await world.say('missed')
  const nowMs = io.clock.now()
  const heard = run(connection, { cursor: `since:${nowMs - MINUTE_MS}`, lastHeardMs: nowMs, chats: [CHAT] })
  expect(await heard.message('missed')).toMatchObject({ chat: CHAT })
})

it('shows a gap when the history cannot be read', async () => {
  const { world, connection, io } = await openScene({ redeliverMs: [] })
  await world.say('missed')
  await world.control.injectFault({ kind: 'error', code: 230027, method: 'im.v1.messages.list' })
  const nowMs = io.clock.now()
  const heard = run(connection, { lastHeardMs: nowMs - 8 * 60 * MINUTE_MS, chats: [CHAT] })
  await heard.until(() => heard.gaps.length > 0)
  expect(heard.gaps).toEqual([
    {
      fromMs: nowMs - 8 * 60 * MINUTE_MS,
      toMs: nowMs,
      why: containing("Couldn't read the history"),
      reason_code: 'history_unread',
      values: { count: 1, words: expect.any(String) as unknown, redelivered: false },
    },
  ])
})

it('asks for no history after a short pause', async () => {
  const { world, connection, io } = await openScene()
  const heard = run(connection, { lastHeardMs: io.clock.now() - MINUTE_MS, chats: [CHAT] })
  await world.say('hello')
  await heard.message('hello')
  expect(await world.control.requests({ method: 'im.v1.messages.list' })).toEqual([])
})

it('replaces a token that has expired, once', async () => {
  const { world, connection } = await openScene()
  await world.say('hello')
  const part = { kind: 'text', deliveryId: 'a.1', chat: CHAT, body: 'one', plain: true } as const
  await world.control.injectFault({ kind: 'token_expired', method: 'im.v1.messages.create' })
  expect(await connection.send(part, never)).toMatchObject({ status: 'delivered' })
  expect(await world.control.requests({ method: 'auth.v3.tenant_access_token' })).toHaveLength(2)
})
