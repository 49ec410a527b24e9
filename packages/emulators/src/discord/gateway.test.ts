import { expect, it } from 'vitest'
import { isRecord } from '../kit/http.ts'
import { manualClock, until } from '../kit/testing-clock.ts'
import { DISCORD_BOT } from './state.ts'
import { ALL, type Bench, identify, openBench, type Socket, UNPRIVILEGED } from './wire-client.ts'

const ann = { id: '7', name: 'Ann' }
const team = { id: '300', title: 'Team' }

it('greets with its heartbeat, and says who and where the bot is', async () => {
  await using bench = await openBench({ heartbeatMs: 1_234 })
  await bench.control.scan({ act: 'join', id: '300', title: 'Team' })
  const socket = await bench.open()
  socket.send(identify(ALL))
  expect(await socket.next()).toMatchObject({
    op: 0,
    t: 'READY',
    s: 1,
    d: {
      v: 10,
      user: { id: DISCORD_BOT.id, bot: true },
      guilds: [{ id: '300', unavailable: true }],
      session_id: expect.any(String),
      resume_gateway_url: `${bench.wsUrl}/resume`,
      application: { id: DISCORD_BOT.id, flags: 1 << 19 },
    },
  })
  expect(await socket.next()).toMatchObject({ t: 'GUILD_CREATE', s: 2, d: { id: '300', name: 'Team' } })
  expect((await bench.control.bot()).connected).toBe(true)
  socket.send({ op: 1, d: 2 })
  expect(await socket.next()).toMatchObject({ op: 11 })
})

const wrong: readonly [code: number, why: string, send: (socket: Socket) => void, query?: string][] = [
  [4_001, 'an unknown op', (socket) => socket.send({ op: 99, d: null })],
  [4_002, 'what is no JSON', (socket) => socket.send('{')],
  [4_002, 'a frame of more than 4 096 bytes', (socket) => socket.send({ op: 1, d: 'x'.repeat(4_096) })],
  [4_003, 'anything before identify', (socket) => socket.send({ op: 3, d: {} })],
  [4_004, 'a wrong token', (socket) => socket.send(identify(ALL, 'a.b.c'))],
  [
    4_004,
    'a wrong token to resume',
    (socket) => socket.send({ op: 6, d: { token: 'a.b.c', session_id: 's', seq: 1 } }),
  ],
  [4_010, 'a shard that is not there', (socket) => socket.send({ op: 2, d: { ...identifyData, shard: [1, 2] } })],
  [4_012, 'an old version', (socket) => socket.send(identify(ALL)), '?v=6&encoding=json'],
  [4_013, 'intents that do not exist', (socket) => socket.send(identify(1 << 30))],
  [4_013, 'no intents', (socket) => socket.send(identify(undefined))],
  [4_014, 'intents that are not allowed', (socket) => socket.send(identify(ALL | (1 << 1)))],
]
const identifyData = { token: DISCORD_BOT.token, intents: ALL, properties: {} }
it.each(wrong)('closes with %i for %s', async (code, _why, send, query) => {
  await using bench = await openBench()
  const socket = await bench.open(query)
  send(socket)
  expect(await socket.closed).toBe(code)
  expect((await bench.control.bot()).connected).toBe(false)
})

it('closes with 4005 for a second identify, with 4008 for more than 120 frames a minute', async () => {
  await using bench = await openBench()
  const twice = await bench.identify(ALL)
  twice.send(identify(ALL))
  expect(await twice.closed).toBe(4_005)
  const fast = await bench.identify(ALL)
  for (let at = 2; at <= 121; at++) fast.send({ op: 1, d: null })
  expect(await fast.closed).toBe(4_008)
  expect(fast.frames.filter(({ op }) => op === 11)).toHaveLength(119)
})

const intents: readonly [intents: number, seen: readonly string[]][] = [
  [0, []],
  [1 << 0, ['GUILD_CREATE']],
  [1 << 12, ['direct']],
  [UNPRIVILEGED, ['direct', 'GUILD_CREATE', '', `<@${DISCORD_BOT.id}> mentioned`, 'answer']],
  [ALL, ['direct', 'GUILD_CREATE', 'group', `<@${DISCORD_BOT.id}> mentioned`, 'answer']],
]
it.each(intents)('tells a session with intents %i what it asked for', async (bits, seen) => {
  await using bench = await openBench()
  const socket = await bench.identify(bits)
  await bench.control.say({ from: ann, text: 'direct' })
  const { chatId } = await bench.control.say({ from: ann, group: team, text: 'group' })
  await bench.control.say({ from: ann, group: team, text: 'mentioned', mention: true })
  const own = await bench.call('POST', `/channels/${chatId}/messages`, { content: 'answer' })
  expect(own.status).toBe(200)
  // what has been sent before the acknowledgement has come before it
  socket.send({ op: 1, d: null })
  while (socket.frames.at(-1)?.['op'] !== 11) await socket.next()
  const events = socket.frames.filter(({ op, t }) => op === 0 && t !== 'READY')
  const labels = events.map(({ t, d }) => (t === 'MESSAGE_CREATE' ? (d as { content: string }).content : t)) // as sent
  expect(labels).toEqual(seen)
})

it('empties files and quotes too where the content may not be read', async () => {
  await using bench = await openBench()
  const socket = await bench.identify(UNPRIVILEGED)
  const file = { kind: 'image', base64: btoa('image') } as const
  const { messageId } = await bench.control.say({ from: ann, group: team, text: 'see', file })
  await bench.control.say({ from: ann, group: team, text: 'this one?', replyTo: messageId, mention: true })
  const frames = [await socket.next(), await socket.next(), await socket.next()]
  expect(frames[1]).toMatchObject({ d: { content: '', attachments: [], author: { id: '7', global_name: 'Ann' } } })
  expect(frames[2]).toMatchObject({
    d: { type: 19, message_reference: { message_id: messageId }, referenced_message: { id: messageId, content: '' } },
  })
})

async function resume(bench: Bench, sessionId: unknown, seq: number): Promise<Socket> {
  const socket = await bench.open('resume?v=10&encoding=json')
  socket.send({ op: 6, d: { token: DISCORD_BOT.token, session_id: sessionId, seq } })
  return socket
}
const findSession = ({ frames }: Socket): unknown => {
  const ready = frames[0]?.['d']
  return isRecord(ready) ? ready['session_id'] : undefined
}
/** Also for the emulator, which hears of it a moment later. */
const leave = async ({ control }: Bench, socket: Socket, code: number): Promise<void> => {
  socket.close(code)
  await until(async () => !(await control.bot()).connected)
}

it('replays what was missed, in order, under the same numbers, as often as the session is resumed', async () => {
  await using bench = await openBench()
  const first = await bench.identify(ALL)
  await bench.control.say({ from: ann, text: 'one' })
  const one = await first.next()
  await leave(bench, first, 4_200)
  await bench.control.say({ from: ann, text: 'two' })
  const second = await resume(bench, findSession(first), 1)
  expect(await second.next()).toEqual(one)
  expect(await second.next()).toMatchObject({ s: 3, t: 'MESSAGE_CREATE', d: { content: 'two' } })
  expect(await second.next()).toMatchObject({ t: 'RESUMED' })
  const third = await resume(bench, findSession(first), 2)
  expect(await third.next()).toMatchObject({ s: 3, d: { content: 'two' } })
  expect((await bench.control.events()).map(({ deliveries }) => deliveries)).toEqual([2, 2])
})

it('forgets a session after its time, and one that was closed with 1000', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock, resumeMs: 1_000 })
  const first = await bench.identify(ALL)
  await leave(bench, first, 4_200)
  const late = await bench.identify(ALL)
  await leave(bench, late, 1_000)
  expect(await (await resume(bench, findSession(late), 1)).next()).toMatchObject({ op: 9, d: false })
  await clock.advance(999)
  const inTime = await resume(bench, findSession(first), 1)
  expect(await inTime.next()).toMatchObject({ t: 'RESUMED' })
  await leave(bench, inTime, 4_200)
  await clock.advance(1_000)
  expect(await (await resume(bench, findSession(first), 1)).next()).toMatchObject({ op: 9, d: false })
})

it('forgets a session that it called invalid, and keeps one that may be resumed', async () => {
  await using bench = await openBench()
  const socket = await bench.identify(ALL)
  await bench.control.injectFault({ kind: 'invalid_session', resumable: true })
  expect(await socket.next()).toMatchObject({ op: 9, d: true })
  const resumed = await resume(bench, findSession(socket), 1)
  expect(await resumed.next()).toMatchObject({ t: 'RESUMED' })
  await bench.control.injectFault({ kind: 'invalid_session', resumable: false })
  expect(await resumed.next()).toMatchObject({ op: 9, d: false })
  expect(await (await resume(bench, findSession(socket), 1)).next()).toMatchObject({ op: 9, d: false })
})

it('cuts the connection of a session that is resumed over another one', async () => {
  await using bench = await openBench()
  const first = await bench.identify(ALL)
  const second = await resume(bench, findSession(first), 1)
  expect(await second.next()).toMatchObject({ t: 'RESUMED' })
  expect(await first.closed).toBe(1_006)
})

it('closes with 4007 for a number that it never gave', async () => {
  await using bench = await openBench()
  const socket = await bench.identify(ALL)
  expect(await (await resume(bench, findSession(socket), 99)).closed).toBe(4_007)
})

it('tells every session everything: two processes with one token both hear', async () => {
  await using bench = await openBench()
  const both = [await bench.identify(ALL), await bench.identify(ALL)]
  await bench.control.say({ from: ann, text: 'hello' })
  for (const socket of both) expect(await socket.next()).toMatchObject({ d: { content: 'hello' } })
  expect(await bench.control.events()).toMatchObject([{ deliveries: 2 }])
})

it('resets the token of a bot that begins too many sessions', async () => {
  await using bench = await openBench({ identifies: 1 })
  expect((await bench.call('GET', '/gateway/bot')).body).toEqual({
    url: bench.wsUrl,
    shards: 1,
    session_start_limit: { total: 1, remaining: 1, reset_after: 14_400_000, max_concurrency: 1 },
  })
  await bench.identify(ALL)
  const second = await bench.open()
  second.send(identify(ALL))
  expect(await second.closed).toBe(4_004)
  expect((await bench.call('GET', '/users/@me')).status).toBe(401)
})

it('ends every connection with 4004 when the token is revoked', async () => {
  await using bench = await openBench()
  const socket = await bench.identify(ALL)
  await bench.control.revoke()
  expect(await socket.closed).toBe(4_004)
  expect((await bench.call('GET', '/users/@me')).body).toEqual({ message: '401: Unauthorized', code: 0 })
})

it('cuts, leaves or closes the connection at identify when told to', async () => {
  await using bench = await openBench()
  await bench.control.injectFault({ kind: 'drop_before', method: 'identify' })
  const cut = await bench.open()
  cut.send(identify(ALL))
  expect(await cut.closed).toBe(1_006)
  await bench.control.injectFault({ kind: 'hang', method: 'identify' })
  const left = await bench.open()
  left.send(identify(ALL))
  left.send({ op: 1, d: null })
  expect(await left.next()).toMatchObject({ op: 11 })
  // nobody is connected: the fault waits for the next who comes
  await bench.control.injectFault({ kind: 'close', code: 4_009 })
  const closed = await bench.open()
  closed.send(identify(ALL))
  expect(await closed.closed).toBe(4_009)
})

it('tells what people change and take back', async () => {
  await using bench = await openBench()
  const socket = await bench.identify(ALL)
  const said = await bench.control.say({ from: ann, text: 'helo' })
  await bench.control.edit({ ...said, text: 'hello' })
  await bench.control.remove(said)
  await socket.next()
  expect(await socket.next()).toMatchObject({
    t: 'MESSAGE_UPDATE',
    d: { id: said.messageId, content: 'hello', edited_timestamp: expect.any(String), author: { id: '7' } },
  })
  expect(await socket.next()).toMatchObject({
    t: 'MESSAGE_DELETE',
    d: { id: said.messageId, channel_id: said.chatId },
  })
  expect(await bench.control.conversation({ chatId: said.chatId })).toEqual([])
  await expect(bench.control.edit({ ...said, text: 'x' })).rejects.toBeInstanceOf(RangeError)
})

it('tells of a guild that the bot is put into', async () => {
  await using bench = await openBench()
  const socket = await bench.identify(ALL)
  expect((await bench.call('GET', '/users/@me/guilds')).body).toEqual({})
  await bench.control.scan({ act: 'join', id: '300', title: 'Team' })
  const created = await socket.next()
  expect(created).toMatchObject({ t: 'GUILD_CREATE', d: { id: '300', name: 'Team', channels: [{ type: 0 }] } })
  expect((await bench.call('GET', '/users/@me/guilds')).body).toMatchObject({ 0: { id: '300', name: 'Team' } })
  await expect(bench.control.scan({ act: 'confirm' })).rejects.toThrow("doesn't support confirm")
})
