import { once } from 'node:events'
import { WebSocketShardEvents, WebSocketShardStatus } from '@discordjs/ws'
import { expect, it } from 'vitest'
import { type Bench, NEEDED_INTENTS, openBench } from './library-client.ts'

/** What `@discordjs/ws` does, unmodified: an update of it that changes this is noticed. */

const ann = { id: '7', name: 'Ann' }
/** The frames with which sessions were begun or resumed. */
const handshakes = async ({ control }: Bench): Promise<readonly string[]> =>
  (await control.requests()).map(({ method }) => method).filter((method) => ['identify', 'resume'].includes(method))

it('goes through a whole life: identify, message, send, op 7, resume at the address that READY named', async () => {
  await using bench = await openBench()
  await bench.control.scan({ act: 'join', id: '300', title: 'Team' })
  const client = bench.gateway()
  await client.manager.connect()
  await client.received('GUILD_CREATE')
  const said = await bench.control.say({ from: ann, text: 'hello' })
  await client.received('MESSAGE_CREATE')
  await bench.rest.post(`/channels/${said.chatId}/messages`, { body: { content: 'hi' } })
  await client.received('MESSAGE_CREATE', 2)
  await bench.control.injectFault({ kind: 'reconnect' })
  await client.received('RESUMED')
  expect(client.seen).toEqual(['READY', 'GUILD_CREATE', 'MESSAGE_CREATE hello', 'MESSAGE_CREATE hi', 'RESUMED'])
  const frames = await bench.control.requests()
  expect(frames.find(({ method }) => method === 'identify')?.target).toBe('socket /?v=10&encoding=json')
  expect(frames.find(({ method }) => method === 'resume')?.target).toBe('socket /resume?v=10&encoding=json')
})

it('asks for no compression', async () => {
  await using bench = await openBench()
  await bench.gateway().manager.connect()
  const [identify] = await bench.control.requests({ method: 'identify' })
  expect(JSON.parse(identify?.body ?? '')).toMatchObject({
    d: { compress: false, intents: NEEDED_INTENTS, shard: [0, 1] },
  })
})

it('stores the number of an event before it hands the event over', async () => {
  await using bench = await openBench()
  const client = bench.gateway()
  const stored: unknown[] = []
  client.manager.on(WebSocketShardEvents.Dispatch, ({ s }) => stored.push([s, client.session()?.sequence]))
  await client.manager.connect()
  await bench.control.say({ from: ann, text: 'hello' })
  await client.received('MESSAGE_CREATE')
  expect(stored).toEqual([
    [1, 1],
    [2, 2],
  ])
})

it('ends the session when it is destroyed, and forgets it', async () => {
  await using bench = await openBench()
  const client = bench.gateway()
  await client.manager.connect()
  await client.received('READY')
  const before = client.session()
  await client.manager.destroy()
  expect(client.session()).toBeNull()
  const next = bench.gateway({ session: before })
  await next.manager.connect()
  await next.received('READY')
  expect(await handshakes(bench)).toEqual(['identify', 'resume', 'identify'])
})

it('keeps the session when it is destroyed with code 4200; the next process gets what it missed', async () => {
  await using bench = await openBench()
  const client = bench.gateway()
  await client.manager.connect()
  await bench.control.say({ from: ann, text: 'one' })
  await client.received('MESSAGE_CREATE')
  const stored = client.session()
  await client.manager.destroy({ code: 4_200 })
  expect(client.session()).toBeNull()
  await bench.control.say({ from: ann, text: 'two' })
  await bench.control.say({ from: ann, text: 'three' })
  const next = bench.gateway({ session: stored })
  await next.manager.connect()
  await next.received('RESUMED')
  expect(next.seen).toEqual(['MESSAGE_CREATE two', 'MESSAGE_CREATE three', 'RESUMED'])
  expect(await bench.control.events()).toMatchObject([
    { deliveries: 1, confirmedAtMs: expect.any(Number) },
    { deliveries: 1, confirmedAtMs: null },
    { deliveries: 1, confirmedAtMs: null },
  ])
})

const fatal: readonly [code: number, text: string][] = [
  [4_004, 'Authentication failed'],
  [4_010, 'Invalid shard'],
  [4_011, 'Sharding is required'],
  [4_012, 'Used an invalid API version'],
  [4_013, 'Used invalid intents'],
  [4_014, 'Used disallowed intents'],
]
it.each(fatal)('gives up after a close with %i: "%s", as an error event and a rejection', async (code, text) => {
  await using bench = await openBench()
  await bench.control.injectFault({ kind: 'close', code, times: null })
  const client = bench.gateway()
  await expect(client.manager.connect()).rejects.toThrow(text)
  expect(client.errors).toEqual([text])
  expect([...(await client.manager.fetchStatus()).values()]).toEqual([WebSocketShardStatus.Idle])
  expect(await handshakes(bench)).toEqual(['identify'])
})

it('is closed with 4004 for a wrong token and 4014 for intents that the application does not have', async () => {
  await using bench = await openBench({ messageContent: false })
  await expect(bench.gateway({ token: 'a.b.c' }).manager.connect()).rejects.toThrow('Authentication failed')
  await expect(bench.gateway().manager.connect()).rejects.toThrow('Used disallowed intents')
  await bench.gateway({ intents: NEEDED_INTENTS - (1 << 15) }).manager.connect()
  await bench.rest.patch('/applications/@me', { body: { flags: 1 << 19 } })
  await bench.gateway().manager.connect()
})

const closes: readonly [code: number, after: readonly string[]][] = [
  [4_000, ['resume']],
  [4_001, ['resume']],
  [4_002, ['resume']],
  [4_003, ['identify']],
  [4_005, ['identify']],
  [4_007, ['identify']],
  [4_008, ['identify']],
  // the library tries, in vain
  [4_009, ['resume', 'identify']],
]
// each waits half a second before it connects again
it.concurrent.each(closes)('after a close with %i it tries to %j', async (code, after) => {
  await using bench = await openBench()
  const client = bench.gateway()
  await client.manager.connect()
  await client.received('READY')
  await bench.control.injectFault({ kind: 'close', code })
  await (after.includes('identify') ? client.received('READY', 2) : client.received('RESUMED'))
  expect(await handshakes(bench)).toEqual(['identify', ...after])
})

it('resumes when the connection is cut', async () => {
  await using bench = await openBench()
  const client = bench.gateway()
  await client.manager.connect()
  await client.received('READY')
  await bench.control.dropConnections()
  await bench.control.say({ from: ann, text: 'meanwhile' })
  await client.received('RESUMED')
  expect(client.seen).toEqual(['READY', 'MESSAGE_CREATE meanwhile', 'RESUMED'])
})

it('takes a connection for dead whose heartbeat is not acknowledged, and resumes', async () => {
  await using bench = await openBench({ heartbeatMs: 50 })
  await bench.control.injectFault({ kind: 'no_heartbeat_ack' })
  const client = bench.gateway()
  const closed = once(client.manager, WebSocketShardEvents.Closed)
  await client.manager.connect()
  expect(await closed).toEqual([4_200, 0])
  await client.received('RESUMED')
  expect(await handshakes(bench)).toEqual(['identify', 'resume'])
})

const invalid: readonly [resumable: boolean, after: string][] = [
  [true, 'resume'],
  [false, 'identify'],
]
it.each(invalid)('answers op 9 %j with %s', async (resumable, after) => {
  await using bench = await openBench()
  const client = bench.gateway()
  await client.manager.connect()
  await client.received('READY')
  await bench.control.injectFault({ kind: 'invalid_session', resumable })
  await (resumable ? client.received('RESUMED') : client.received('READY', 2))
  expect(await handshakes(bench)).toEqual(['identify', after])
})

it('gets an event twice, late, or changed only in its preview, when the platform has it so', async () => {
  await using bench = await openBench()
  const client = bench.gateway()
  await client.manager.connect()
  await client.received('READY')
  await bench.control.injectFault({ kind: 'duplicate_dispatch' })
  await bench.control.say({ from: ann, text: 'twice' })
  await client.received('MESSAGE_CREATE', 2)
  await bench.control.injectFault({ kind: 'embed_update' })
  await bench.control.say({ from: ann, text: 'link' })
  await client.received('MESSAGE_UPDATE')
  expect(client.data.at(-1)).toMatchObject({ content: 'link', edited_timestamp: null })
  // what comes over a dead connection is replayed
  await bench.control.injectFault({ kind: 'lost_dispatch' })
  await bench.control.say({ from: ann, text: 'lost' })
  await bench.control.injectFault({ kind: 'reconnect' })
  await client.received('RESUMED')
  expect(client.seen.filter((one) => one.startsWith('MESSAGE_CREATE'))).toEqual([
    'MESSAGE_CREATE twice',
    'MESSAGE_CREATE twice',
    'MESSAGE_CREATE link',
    'MESSAGE_CREATE lost',
  ])
})
