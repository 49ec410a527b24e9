import { expect, it } from 'vitest'
import { ConnectionError } from '../../errors.ts'
import { until } from '../wire/testing.ts'
import { ANN } from './discord.contract.ts'
import { openBench, type Bench, type Run } from './discord-run.contract.ts'

const MINUTE = 60_000

async function listening(bench: Bench, connection = bench.connect()): Promise<Run> {
  const heardBefore = bench.stored.heardAtMs
  const run = bench.run(connection)
  await bench.clock.advance(1)
  await bench.until(() => bench.stored.heardAtMs !== heardBefore)
  return run
}

const frames = (bench: Bench, method: string): Promise<readonly { readonly body: string }[]> =>
  bench.world.control.requests({ method })

it('resumes after a restart and gets what was said meanwhile, without a gap', async () => {
  const bench = await openBench()
  const { world, stored } = bench
  const first = await listening(bench)
  await world.say('before')
  await bench.until(() => bench.texts().length === 1)
  await first.stop()
  await world.say('meanwhile')
  bench.run()
  await bench.until(() => bench.texts().includes('meanwhile'))
  expect(bench.texts()).toEqual(['before', 'meanwhile'])
  expect(stored.gaps).toEqual([])
  expect(await frames(bench, 'identify')).toHaveLength(1)
  expect(await frames(bench, 'resume')).toHaveLength(1)
})

it('stores a message and the place behind it together, and goes back to the place when that fails', async () => {
  const bench = await openBench()
  const { world, stored } = bench
  const connection = bench.connect()
  const run = await listening(bench, connection)
  await world.say('stored')
  await bench.until(() => bench.texts().length === 1)
  const full = new Error('disk full')
  stored.failure = full
  await world.say('not stored')
  expect(await run.ended).toBe(full)
  expect(bench.texts()).toEqual(['stored'])
  stored.failure = null
  bench.run(connection)
  await bench.until(() => bench.texts().length === 2)
  expect(bench.texts()).toEqual(['stored', 'not stored'])
})

it('does not say that it lives while something is not stored', async () => {
  const bench = await openBench()
  const { world, stored, clock } = bench
  const run = await listening(bench)
  const heardAtMs = stored.heardAtMs
  await clock.advance(5_000)
  stored.failure = new Error('disk full')
  await world.say('lost?')
  await run.ended
  expect(stored.heardAtMs).toBe(heardAtMs)
})

it('reads the history of known chats when the session is gone, and tells of the gap', async () => {
  const bench = await openBench()
  const { world, stored, clock } = bench
  const first = await listening(bench)
  const { chat } = await world.say('before')
  const group = await world.speak({ group: { id: '1300000000000000301', title: 'Other' }, text: 'hi', mention: true })
  await bench.until(() => bench.texts().length === 2)
  stored.chats = [chat, group.chat]
  await first.stop()
  await world.say('meanwhile one')
  await world.speak({ group: { id: group.chat.id }, text: 'meanwhile in the group', mention: true })
  await world.say('meanwhile two')
  await world.control.injectFault({ kind: 'invalid_session', resumable: false, method: 'resume' })
  const fromMs = stored.heardAtMs ?? 0
  const lost = bench.run()
  expect(await lost.ended).toMatchObject({ code: 'network' })
  await clock.advance(MINUTE)
  bench.run()
  await bench.until(() => stored.gaps.length === 1)
  expect(bench.texts().toSorted()).toEqual(
    ['before', 'hi', 'meanwhile in the group', 'meanwhile one', 'meanwhile two'].toSorted(),
  )
  expect(bench.texts().indexOf('meanwhile one')).toBeLessThan(bench.texts().indexOf('meanwhile two'))
  const reason = { reason_code: 'session_not_resumed', values: { unread: 0 } }
  expect(stored.gaps).toMatchObject([{ from: fromMs, to: clock.now(), ...reason }])
  await world.say('afterwards')
  await bench.until(() => bench.texts().includes('afterwards'))
})

it('continues to read the history when it was stopped in between', async () => {
  const bench = await openBench()
  const { world, stored, clock } = bench
  const first = await listening(bench)
  const { chat } = await world.say('before')
  await bench.until(() => bench.texts().length === 1)
  stored.chats = [chat]
  await first.stop()
  await world.say('meanwhile')
  await world.control.injectFault({ kind: 'invalid_session', resumable: false, method: 'resume' })
  await bench.run().ended
  await world.control.injectFault({ kind: 'drop_before', method: 'messages.list' })
  expect(await bench.run().ended).toMatchObject({ code: 'network' })
  expect(stored.gaps).toEqual([])
  expect(bench.texts()).toEqual(['before'])
  await clock.advance(MINUTE)
  bench.run()
  await bench.until(() => stored.gaps.length === 1)
  expect(bench.texts()).toEqual(['before', 'meanwhile'])
})

it('asks for no history at its very first start', async () => {
  const bench = await openBench()
  const { chat } = await bench.world.say('before anybody listened')
  bench.stored.chats = [chat]
  await listening(bench)
  expect(await frames(bench, 'messages.list')).toEqual([])
  expect(bench.stored.gaps).toEqual([])
})

it('resumes at once when asked to reconnect after a while, and stays running', async () => {
  const bench = await openBench()
  const { world, clock } = bench
  const run = await listening(bench)
  await clock.advance(MINUTE)
  await world.control.injectFault({ kind: 'lost_dispatch', method: 'dispatch' })
  await world.say('replayed')
  await world.control.injectFault({ kind: 'reconnect' })
  await bench.until(() => bench.texts().includes('replayed'))
  expect(await frames(bench, 'resume')).toHaveLength(1)
  await run.stop()
  expect(await run.ended).toBeUndefined()
})

it('holds back longer and longer when new sessions end soon', async () => {
  const bench = await openBench()
  const { world, stored, clock } = bench
  const connection = bench.connect()
  const waits: (number | null)[] = []
  for (let time = 0; time < 3; time++) {
    stored.cursor = null
    const run = await listening(bench, connection)
    await world.control.injectFault({ kind: 'close', code: 4009 })
    const error = await run.ended
    waits.push(error instanceof ConnectionError ? error.retryAfterMs : null)
    await clock.advance(10_000)
  }
  expect(waits).toEqual([5_000, 10_000, 20_000])
})

it('begins no session when the budget of the day is used up', async () => {
  const bench = await openBench({ identifies: 1 })
  const run = await listening(bench)
  await run.stop()
  bench.stored.cursor = null
  const error = await bench.run().ended
  expect(error).toMatchObject({ code: 'rate_limited' })
  expect(await frames(bench, 'identify')).toHaveLength(1)
})

it('works by mention without the message content intent, and says what to switch on', async () => {
  const bench = await openBench({ messageContent: false })
  const { world, stored } = bench
  await listening(bench)
  await bench.until(() => stored.problem !== null)
  expect(stored.problem).toMatchObject({ code: 'configuration' })
  expect(stored.problem?.message).toContain('MESSAGE CONTENT INTENT')
  await world.sayInGroup('not for the bot', 'nothing')
  await world.sayInGroup('for the bot', 'mention')
  await bench.until(() => bench.texts().includes('for the bot'))
  expect(bench.texts()).toEqual(['for the bot'])
  expect(await frames(bench, 'identify')).toHaveLength(1)
})

it('tries without the intent when Discord only refuses it at the gateway', async () => {
  const bench = await openBench()
  const { world, stored } = bench
  await world.control.injectFault({ kind: 'close', code: 4014, method: 'identify' })
  const run = bench.run()
  await bench.clock.untilSleeping(2) // the second identify may not come sooner than 5 s after the first
  await bench.clock.advance(5_000)
  await bench.until(() => stored.problem !== null)
  const intents = (await frames(bench, 'identify')).map(({ body }) => /"intents":(\d+)/.exec(body)?.[1])
  expect(intents).toEqual(['37377', '4609'])
  await run.stop()
})

it('continues a session without that intent also when Discord does not say whether it is on', async () => {
  const bench = await openBench({ messageContent: false })
  const first = await listening(bench)
  await first.stop()
  await bench.world.control.injectFault({ kind: 'bad_gateway', method: 'applications.get' })
  await bench.world.say('meanwhile')
  bench.run()
  await bench.until(() => bench.texts().includes('meanwhile'))
  expect(await frames(bench, 'identify')).toHaveLength(1)
})

it('takes the intent as soon as it has been switched on, in a new session', async () => {
  const bench = await openBench({ messageContent: false })
  const { world, stored, clock, io } = bench
  await listening(bench)
  await bench.until(() => stored.problem !== null)
  const answer = await io.fetch(`${world.apiUrl}/v10/applications/@me`, {
    method: 'PATCH',
    headers: {
      authorization: `Bot ${world.credentials.bot_token}`,
      'content-type': 'application/json',
      'user-agent': 'DiscordBot (https://example.org, 1)',
    },
    body: JSON.stringify({ flags: 1 << 19 }),
  })
  expect(answer.status).toBe(200)
  await clock.advance(10 * MINUTE)
  await bench.until(() => stored.problem === null)
  await world.sayInGroup('read by all', 'nothing')
  await bench.until(() => bench.texts().includes('read by all'))
})

it.each([
  [4004, 'credentials_rejected'],
  [4010, 'configuration'],
  [4011, 'configuration'],
  [4012, 'configuration'],
  [4013, 'configuration'],
  [4000, 'network'],
  [4008, 'network'],
] as const)('ends as the close code says: %d', async (code, refusal) => {
  const bench = await openBench()
  const run = await listening(bench)
  await bench.world.control.injectFault({ kind: 'close', code })
  expect(await run.ended).toMatchObject({ code: refusal })
})

it('stores a message once that came twice, and edits as such', async () => {
  const bench = await openBench()
  const { world } = bench
  await listening(bench)
  await world.control.injectFault({ kind: 'duplicate_dispatch', method: 'dispatch' })
  await world.say('twice')
  await world.control.injectFault({ kind: 'embed_update', method: 'dispatch' })
  await world.say('with a picture')
  await world.say('last')
  await bench.until(() => bench.texts().includes('last'))
  expect(bench.stored.events.map((event) => (event.type === 'message' ? event.text : event.type))).toEqual([
    'twice',
    'with a picture',
    'last',
  ])
})

it('names the bot also when it only resumes', async () => {
  const bench = await openBench()
  const first = await listening(bench)
  await first.stop()
  bench.stored.name = null
  await bench.clock.advance(1_000)
  await listening(bench)
  expect(bench.stored.name).toBe('gatepost')
})

it('stops while it is still connecting, without harm', async () => {
  const bench = await openBench()
  await bench.world.control.injectFault({ kind: 'hang', method: 'identify' })
  const run = bench.run()
  await run.stop()
  expect(await run.ended).toBeUndefined()
  expect(bench.clock.sleeping).toBe(0)
})

it('gives a session up that does not begin', async () => {
  const bench = await openBench()
  await bench.world.control.injectFault({ kind: 'hang', method: 'identify' })
  const run = bench.run()
  await bench.clock.untilSleeping(1)
  await until(async () => (await frames(bench, 'identify')).length > 0)
  await bench.clock.advance(90_000)
  expect(await run.ended).toMatchObject({ code: 'network' })
})

it('opens a private channel for a person who never wrote privately', async () => {
  const bench = await openBench()
  await bench.world.sayInGroup('known from a server', 'nothing')
  const connection = bench.connect()
  const part = { kind: 'text', deliveryId: 'a.1', body: 'hello', plain: false } as const
  const signal = new AbortController().signal
  const moved = await connection.send({ ...part, chat: { id: ANN.id, kind: 'direct' } }, signal)
  const toChatId = moved.status === 'refused' ? moved.toChatId : undefined
  if (toChatId === undefined) throw new Error('no channel was opened')
  expect(moved).toMatchObject({ code: 'chat_moved' })
  await connection.send({ ...part, chat: { id: toChatId, kind: 'direct' } }, signal)
  expect(await bench.world.shown({ id: toChatId, kind: 'direct' })).toMatchObject([{ text: 'hello' }])
})
