import { expect, it } from 'vitest'
import type { Connection } from '../../connection.ts'
import { object, parseJson } from '../wire/json.ts'
import { weixin } from './platform.ts'
import { run, held, testIo, toUrlText, type TestIo } from '../wire/testing.ts'
import { openWorld, partFor } from './testing.ts'

interface Call {
  readonly path: string
  readonly body: unknown
}

const MESSAGE = {
  message_id: '7',
  from_user_id: 'ann@im.wechat',
  message_type: 1,
  context_token: 'CT',
  item_list: [{ type: 1, text_item: { text: 'hello' } }],
}

/** A server of these answers to polls; a poll beyond them is held. `notifystart` is answered unless `silent`. */
function scripted(answers: readonly unknown[], silent = false): { io: TestIo; calls: Call[]; connection: Connection } {
  const left = [...answers]
  const calls: Call[] = []
  const io = testIo({
    fetch: async (input, init) => {
      const path = toUrlText(input).replace(/^.*\/ilink\/bot\//, '')
      calls.push({ path, body: parseJson(typeof init?.body === 'string' ? init.body : '') })
      if (path !== 'getupdates')
        return silent && path === 'msg/notifystart' ? new Response('', { status: 404 }) : ok({})
      if (left.length === 0) return held(init?.signal)
      const next = left.shift()
      return next instanceof Response ? next : ok(next)
    },
  })
  return { io, calls, connection: weixin.connect({ token: 'token-of-the-test', ilink_bot_id: 'b1@im.bot' }, io) }
}
const ok = (value: unknown): Response => Response.json(value)

const listCursors = (calls: readonly Call[]): readonly unknown[] =>
  calls.filter(({ path }) => path === 'getupdates').map(({ body }) => object(body)?.['get_updates_buf'])

/** Turns of the event loop until it is so: no time passes on the clock. */
async function until(io: TestIo, isSo: () => boolean): Promise<void> {
  while (!isSo()) await io.clock.advance(0)
}

it('stores a batch with the next cursor before it asks with that one', async () => {
  const { io, calls, connection } = scripted([{ ret: 0, msgs: [MESSAGE], get_updates_buf: 'c2' }])
  const { batches } = run(connection, { cursor: 'c1' })
  await until(io, () => listCursors(calls).length === 2)
  expect(listCursors(calls)).toEqual(['c1', 'c2'])
  expect(batches).toMatchObject([{ cursor: 'c2', events: [{ messageId: '7' }] }])
})

it('stores a cursor that comes alone, and none that is known', async () => {
  const { io, calls, connection } = scripted([
    { get_updates_buf: 'c2', msgs: [] },
    { get_updates_buf: 'c2' },
    { get_updates_buf: '' },
  ])
  const { batches } = run(connection)
  await until(io, () => listCursors(calls).length === 4)
  expect(listCursors(calls)).toEqual(['', 'c2', 'c2', 'c2'])
  expect(batches).toEqual([{ cursor: 'c2', events: [] }])
})

it('stores what cannot be confirmed, and does not ask for it in a circle', async () => {
  const { connection } = scripted([{ msgs: [MESSAGE], get_updates_buf: 'c1' }])
  const { batches, ended } = run(connection, { cursor: 'c1' })
  expect(await ended).toMatchObject({ code: 'network', message: "Weixin returns messages that can't be confirmed." })
  expect(batches).toMatchObject([{ cursor: 'c1', events: [{ messageId: '7' }] }])
})

it('stores a batch that is too large for one transaction in several, and the cursor with the last of them', async () => {
  const msgs = Array.from({ length: 1_100 }, (_one, index) => ({ ...MESSAGE, message_id: String(index + 1) }))
  const { connection } = scripted([{ msgs, get_updates_buf: 'c2' }])
  const { batches, until: told } = run(connection, { cursor: 'c1' })
  await told(() => batches.at(-1)?.cursor === 'c2')
  expect(batches.map(({ events, cursor }) => [events.length, cursor])).toEqual([
    [500, null],
    [500, null],
    [100, 'c2'],
  ])
})

it('does not take an old message that comes again for the newest, however long ago it was', async () => {
  const said = (id: number, context_token: string): object => ({
    ...MESSAGE,
    message_id: String(id),
    create_time_ms: 1_763_700_000_000 + id * 1_000,
    context_token,
  })
  const [first, last] = [said(1, 'CT1'), said(9_000, 'CT9000')]
  const meanwhile = Array.from({ length: 2_500 }, (_one, index) => said(index + 2, 'CT'))
  const { calls, connection } = scripted([
    { msgs: [first, ...meanwhile, last], get_updates_buf: 'c2' },
    { msgs: [first, last], get_updates_buf: 'c3' },
  ])
  const { batches, until: told } = run(connection)
  await told(() => batches.at(-1)?.cursor === 'c3')
  await connection.send(partFor('answer'), new AbortController().signal)
  const sent = calls.find(({ path }) => path === 'sendmessage')
  expect(object(object(sent?.body)?.['msg'])?.['context_token']).toBe('CT9000')
})

it('takes the newer message for the newer one, though the clock that dated it is a little behind', async () => {
  const dated = { ...MESSAGE, create_time_ms: 1_763_700_000_500 }
  const behind = { ...MESSAGE, message_id: '8', create_time_ms: 1_763_700_000_000, context_token: 'CT8' }
  const { calls, connection } = scripted([{ msgs: [dated, behind], get_updates_buf: 'c2' }])
  const { batches, until: told } = run(connection)
  await told(() => batches.length > 0)
  await connection.send(partFor('answer'), new AbortController().signal)
  const sent = calls.find(({ path }) => path === 'sendmessage')
  expect(object(object(sent?.body)?.['msg'])?.['context_token']).toBe('CT8')
})

it('drops a message without a form, takes those beside it, and logs no word of it', async () => {
  const odd = { ...MESSAGE, from_user_id: 9, item_list: [{ type: 1, text_item: { text: 'private' } }] }
  const { io, connection } = scripted([{ msgs: [odd, MESSAGE, null], get_updates_buf: 'c2' }])
  const { message } = run(connection)
  await message('hello')
  expect(JSON.stringify(io.lines)).toContain('from_user_id')
  expect(JSON.stringify(io.lines)).not.toContain('private')
})

it('takes a poll that is held as a sign that the log-in was taken', async () => {
  const { io, connection } = scripted([])
  const { signs } = run(connection)
  await io.clock.untilSleeping(2)
  await io.clock.advance(1_499)
  expect(signs()).toBe(0)
  await io.clock.advance(1)
  expect(signs()).toBe(1)
})

it('shows no life after the first poll has failed', async () => {
  const { io, connection } = scripted([new Response('<html>', { status: 502 })])
  const { signs, ended } = run(connection)
  expect(await ended).toMatchObject({ code: 'network' })
  await io.clock.advance(1_500)
  expect(signs()).toBe(0)
  expect(io.clock.sleeping).toBe(0)
})

it('takes no held poll for life when Weixin has not answered anything yet', async () => {
  const { io, calls, connection } = scripted([], true)
  const { signs } = run(connection)
  await until(io, () => listCursors(calls).length === 1)
  await io.clock.advance(39_000)
  expect(signs()).toBe(0)
})

it('counts a poll without an answer as an empty one, waits longer, and at the third one starts again', async () => {
  const { io, calls, connection } = scripted([])
  const { ended } = run(connection, { cursor: 'c1' })
  await until(io, () => listCursors(calls).length === 1)
  await io.clock.advance(40_000)
  await until(io, () => listCursors(calls).length === 2)
  await io.clock.advance(75_000)
  await until(io, () => listCursors(calls).length === 3)
  await io.clock.advance(109_000)
  expect(listCursors(calls)).toEqual(['c1', 'c1', 'c1'])
  await io.clock.advance(1_000)
  expect(await ended).toMatchObject({ code: 'network', retryAfterMs: 2_000 })
})

it('waits as long as the server says that it holds a poll', async () => {
  const { io, calls, connection } = scripted([{ get_updates_buf: 'c1', longpolling_timeout_ms: 60_000 }])
  run(connection)
  await until(io, () => listCursors(calls).length === 2)
  await io.clock.advance(64_000)
  expect(listCursors(calls).length).toBe(2)
  await io.clock.advance(1_000)
  await until(io, () => listCursors(calls).length === 3)
})

it('does not spin when every answer comes at once and is empty', async () => {
  const { io, calls, connection } = scripted(Array.from({ length: 100 }, () => ({ get_updates_buf: 'c1' })))
  run(connection)
  await io.clock.untilSleeping(1)
  await until(io, () => listCursors(calls).length === 30)
  await io.clock.advance(0)
  expect(listCursors(calls).length).toBe(30)
  await io.clock.advance(1_000)
  await until(io, () => listCursors(calls).length === 31)
})

it('tells the supervisor to wait 2 s, and 30 s from the third failure in a row; an answer ends the row', async () => {
  const failure = (): Response => new Response('<html>', { status: 502 })
  const { connection } = scripted([failure(), failure(), failure(), failure(), { get_updates_buf: 'c1' }, failure()])
  const waits: unknown[] = []
  for (let runs = 0; runs < 5; runs++) waits.push(await run(connection).ended)
  expect(waits).toMatchObject([2_000, 2_000, 30_000, 30_000, 2_000].map((retryAfterMs) => ({ retryAfterMs })))
})

it('says when it starts and when it stops', async () => {
  const { world, connection } = await openWorld()
  const { signs, stop, message } = run(connection)
  await world.say('hello')
  await message('hello')
  await stop()
  expect(signs()).toBeGreaterThan(0)
  const methods = (await world.control.requests()).map(({ method }) => method)
  expect([methods.at(0), methods.at(-1)]).toEqual(['notifystart', 'notifystop'])
})

it.each([
  [{ kind: 'session_expired', field: 'ret' }, 'credentials_rejected'],
  [{ kind: 'session_expired', field: 'errcode' }, 'credentials_rejected'],
  [{ kind: 'refused', errmsg: 'rate limited' }, 'rate_limited'],
  [{ kind: 'error', ret: -1, errmsg: 'system error' }, 'network'],
  [{ kind: 'server_error', status: 500 }, 'network'],
  [{ kind: 'bad_gateway' }, 'network'],
  [{ kind: 'drop_before' }, 'network'],
] as const)('ends a run that meets %j as %s', async (fault, code) => {
  const { world, connection } = await openWorld()
  await world.control.injectFault({ ...fault, method: 'getupdates' })
  expect(await run(connection).ended).toMatchObject({ code })
})

it('says in plain words that the log-in must be made anew', async () => {
  const { world, connection } = await openWorld()
  await world.revoke()
  expect(await run(connection).ended).toMatchObject({
    message: 'The Weixin sign-in is no longer valid. Set up the channel again. (session timeout (-14))',
  })
})

it('gets everything again under the same keys when the server forgets the cursor', async () => {
  const { world, connection } = await openWorld()
  const { batches, message } = run(connection)
  await world.say('one')
  const one = await message('one')
  await world.control.injectFault({ kind: 'cursor_reset', method: 'getupdates' })
  await world.say('two')
  await message('two')
  const keys = batches.flatMap(({ events }) => events.map(({ key }) => key))
  expect(keys.filter((key) => key === one.key).length).toBe(2)
})

it('does not take a message that comes again for a new one that makes more sends possible', async () => {
  const { world, connection } = await openWorld()
  const { message } = run(connection)
  await world.say('one')
  const { chat } = await message('one')
  await connection.send(partFor('answer'), new AbortController().signal)
  expect(connection.can.allowance?.(chat)).toEqual({ left: 8, refused: null })
  await world.control.injectFault({ kind: 'cursor_reset', method: 'getupdates' })
  const later = await world.control.say({ from: { id: 'bob@im.wechat' }, text: 'two' })
  await message('two')
  expect(connection.can.allowance?.(chat).left).toBe(8)
  expect(connection.can.allowance?.({ id: later.chatId, kind: 'direct' }).left).toBe(9)
})
