import type { IncomingMessage } from 'node:http'
import { expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { manualClock } from '../kit/testing-clock.ts'
import { getData, openBench, openRawSocketAt, openRawSocket, getFrameType, type Bench } from './testing-app.ts'

const ANN = { id: 'ou_ann', name: 'Ann' }
const findEndpoint = async (bench: Bench): Promise<string> =>
  String(getData(await bench.post('/callback/ws/endpoint', { AppID: bench.appId, AppSecret: bench.secret }))['URL'])
const confirmed = (bench: Bench) => vi.waitUntil(async () => (await bench.control.events())[0]?.confirmedAtMs, 100_000)
/** What was sent has been read: frames of a socket are read in their order. */
const settled = async (raw: Awaited<ReturnType<typeof openRawSocket>>): Promise<void> => {
  raw.ping()
  while (getFrameType(await raw.next()) !== 'pong');
}

it('sends an unconfirmed event again after 15 s, 5 min, 1 h and 6 h with its ids, then never', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  using raw = await openRawSocket(bench)
  const { messageId } = await bench.control.say({ from: ANN, text: 'hello' })
  const ids: unknown[] = []
  for (const waitMs of [15_000, 300_000, 3_600_000, 21_600_000]) {
    ids.push(await raw.nextEvent())
    await clock.advance(waitMs - 1)
    expect((await bench.control.events())[0]?.deliveries).toBe(ids.length)
    await clock.advance(1)
  }
  const last = await raw.nextEvent()
  await clock.advance(86_400_000)
  expect(await bench.control.events()).toEqual([{ messageId, deliveries: 5, confirmedAtMs: null }])
  expect(ids).toMatchObject(Array.from({ length: 4 }, () => ({ eventId: last.eventId, messageId })))
})

const acknowledgements: readonly [why: string, afterMs: number, code: number, deliveries: number][] = [
  ['in time', 2_900, 200, 1],
  ['too late', 3_100, 200, 2],
  ['that it failed', 10, 500, 2],
]
it.each(acknowledgements)('hears an acknowledgement %s', async (_why, afterMs, code, deliveries) => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  using raw = await openRawSocket(bench)
  await bench.control.say({ from: ANN, text: 'hello' })
  const { frame } = await raw.nextEvent()
  await clock.advance(afterMs)
  raw.acknowledge(frame, code)
  await settled(raw)
  await clock.advance(20_000)
  expect(await bench.control.events()).toMatchObject([
    { deliveries, confirmedAtMs: deliveries === 1 ? expect.any(Number) : null },
  ])
})

it('sends what was said while nobody was connected, later', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const { messageId } = await bench.control.say({ from: ANN, text: 'hello' })
  expect(await bench.control.events()).toEqual([])
  using raw = await openRawSocket(bench)
  await clock.advance(15_000)
  expect(await raw.nextEvent()).toMatchObject({ messageId })
})

it('gives each event to one of the sockets', async () => {
  await using bench = await openBench()
  using one = await openRawSocket(bench)
  using two = await openRawSocket(bench)
  for (let said = 0; said < 40; said++) await bench.control.say({ from: ANN, text: String(said) })
  const [first, second] = await Promise.all([one.nextEvent(), two.nextEvent()])
  expect(first.messageId).not.toBe(second.messageId)
  expect((await bench.control.events()).every(({ deliveries }) => deliveries === 1)).toBe(true)
  expect(getData(await bench.call('GET', '/event/v1/connection'))).toEqual({ online_instance_cnt: 2 })
})

const eventFaults = [
  ['redeliver', { kind: 'redeliver' }],
  ['ignore_ack', { kind: 'ignore_ack' }],
] as const
it.each(eventFaults)('%s: the event comes again though it was acknowledged', async (_why, fault) => {
  await using bench = await openBench({ redeliverMs: [20, 20, 20] })
  using raw = await openRawSocket(bench)
  await bench.control.injectFault(fault)
  await bench.control.say({ from: ANN, text: 'hello' })
  const first = await raw.nextEvent()
  raw.acknowledge(first.frame)
  const second = await raw.nextEvent()
  expect(second).toMatchObject({ eventId: first.eventId, messageId: first.messageId })
  raw.acknowledge(second.frame)
  await confirmed(bench)
})

it('answers a ping with all four settings', async () => {
  await using bench = await openBench({ client: { PingInterval: 9 } })
  using raw = await openRawSocket(bench)
  raw.ping()
  const pong = await raw.next()
  expect(getFrameType(pong)).toBe('pong')
  expect(JSON.parse(Buffer.from(pong.payload ?? []).toString())).toEqual({
    PingInterval: 9,
    ReconnectCount: -1,
    ReconnectInterval: 120,
    ReconnectNonce: 30,
  })
})

it('opens one socket for each address, and refuses others as the platform does', async () => {
  await using bench = await openBench()
  const url = await findEndpoint(bench)
  using _open = await openRawSocketAt(url)
  const refused = new WebSocket(url)
  const answer = await new Promise<IncomingMessage>((resolve) =>
    refused.once('unexpected-response', (_request, response) => resolve(response)),
  )
  expect(answer).toMatchObject({
    statusCode: 403,
    headers: { 'handshake-status': '514', 'handshake-msg': 'auth failed' },
  })
})

it('closes a socket that sends something else than frames', async () => {
  await using bench = await openBench()
  using raw = await openRawSocket(bench)
  raw.sendRaw('{}')
  expect(await raw.closed).toBe(1002)
})

const discoveries: readonly [why: string, body: object, code: number][] = [
  ['a wrong secret', { AppSecret: 'wrong' }, 514],
  ['an app id of another form', { AppID: 'cli_1' }, 1000040346],
  ['an unknown app', { AppID: 'cli_0000000000000000' }, 514],
]
it.each(discoveries)('refuses discovery with %s, without `data`', async (_why, body, code) => {
  await using bench = await openBench()
  const answer = await bench.post('/callback/ws/endpoint', { AppID: bench.appId, AppSecret: bench.secret, ...body })
  expect(answer).toMatchObject({ status: 200, body: { code } })
  expect(answer.body).not.toHaveProperty('data')
})

it('lets no more than 50 sockets in', async () => {
  await using bench = await openBench()
  const sockets = await Promise.all(Array.from({ length: 50 }, () => openRawSocket(bench)))
  const answer = await bench.post('/callback/ws/endpoint', { AppID: bench.appId, AppSecret: bench.secret })
  expect(answer.body).toMatchObject({ code: 1000040350 })
  for (const socket of sockets) socket[Symbol.dispose]()
})

it('ends sockets, tokens and discovery when the credentials are revoked', async () => {
  await using bench = await openBench()
  using raw = await openRawSocket(bench)
  const token = await bench.token()
  await bench.control.revoke()
  expect(await raw.closed).toBe(1000)
  const headers = { authorization: `Bearer ${token}` }
  expect((await bench.post('/open-apis/im/v1/messages', {}, headers)).body).toMatchObject({ code: 99991663 })
  const asked = await bench.post('/callback/ws/endpoint', { AppID: bench.appId, AppSecret: bench.secret })
  expect(asked.body).toMatchObject({ code: 514 })
  expect(await bench.control.bot()).toMatchObject({ connected: false })
})

it('drops sockets without a word', async () => {
  await using bench = await openBench()
  using raw = await openRawSocket(bench)
  await bench.control.dropConnections()
  expect(await raw.closed).toBe(1006)
})

const pushed: readonly [why: string, mention: boolean, scope: boolean, isPushed: boolean][] = [
  ['a mention', true, false, true],
  ['plain words', false, false, false],
  ['plain words with the scope for all of the group', false, true, true],
]
it.each(pushed)('in a group, %s', async (_why, mention, scope, isPushed) => {
  await using bench = await openBench()
  using raw = await openRawSocket(bench)
  if (scope) await bench.control.injectFault({ kind: 'scope', scope: 'im:message.group_msg', granted: true })
  const said = await bench.control.say({ from: ANN, group: { id: 'oc_team', title: 'Team' }, text: 'status?', mention })
  const direct = await bench.control.say({ from: ANN, text: 'direct' })
  const { messageId, frame } = await raw.nextEvent()
  expect(messageId).toBe(isPushed ? said.messageId : direct.messageId)
  if (!mention) return
  expect(JSON.parse(Buffer.from(frame.payload ?? []).toString())).toMatchObject({
    event: {
      message: {
        chat_type: 'group',
        chat_id: 'oc_team',
        content: '{"text":"@_user_1 status?"}',
        mentions: [{ key: '@_user_1', id: { open_id: 'ou_bot_gatepost' }, name: 'Gatepost' }],
      },
    },
  })
})
