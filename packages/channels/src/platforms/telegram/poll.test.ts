import { inspect } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import type { Connection } from '../../connection.ts'
import { object } from '../wire/json.ts'
import { run, held, never, testIo, until, toUrlText, type TestIo } from '../wire/testing.ts'
import { telegram } from './platform.ts'
import { readCursor, writeCursor } from './poll.ts'
import { startTelegramWorld, type TelegramWorld } from './telegram.contract.ts'

const TOKEN = `9:${'s'.repeat(35)}`
const SECRET = 's'.repeat(35)
const DAY_MS = 86_400_000

interface Call {
  readonly method: string
  readonly body: unknown
}

async function world(): Promise<{ world: TelegramWorld; io: TestIo; connection: Connection }> {
  const started = await startTelegramWorld()
  onTestFinished(() => started.close())
  const io = testIo({ host: started.host })
  return { world: started, io, connection: telegram.connect(started.credentials, io) }
}

/** A Bot API of answers by method; a poll beyond the list is held until it is stopped. */
function scripted(answers: readonly unknown[], calls: Call[]): typeof fetch {
  const left = [...answers]
  return async (input, init) => {
    const url = toUrlText(input)
    const method = url.slice(url.lastIndexOf('/') + 1)
    calls.push({ method, body: typeof init?.body === 'string' ? (JSON.parse(init.body) as unknown) : null })
    if (method === 'getMe') return ok({ id: 9, is_bot: true, first_name: 'G', username: 'gatepost_bot' })
    if (method !== 'getUpdates') return ok(true)
    if (left.length > 0) return ok(left.shift())
    return held(init?.signal)
  }
}
const polls = (calls: readonly Call[]): readonly unknown[] =>
  calls.filter(({ method }) => method === 'getUpdates').map(({ body }) => body)
const ok = (result: unknown): Response => Response.json({ ok: true, result })

const message = (messageId: number, text: string): object => ({
  message_id: messageId,
  date: 1,
  chat: { id: 42, type: 'private' },
  from: { id: 42, is_bot: false, first_name: 'Ann' },
  text,
})
const credentials = { bot_token: TOKEN, parse_mode: 'Markdown' } as const

it.each([
  [{ kind: 'webhook_conflict' }, 'configuration'],
  [{ kind: 'poller_conflict' }, 'taken_over'],
  [{ kind: 'rate_limited', retryAfter: 7 }, 'rate_limited'],
  [{ kind: 'server_error', status: 500 }, 'network'],
  [{ kind: 'bad_gateway' }, 'network'],
  [{ kind: 'drop_before' }, 'network'],
] as const)('ends a run that meets %j as %s', async (fault, code) => {
  const { world: at, connection } = await world()
  await at.control.injectFault({ ...fault, method: 'getUpdates' })
  expect(await run(connection).ended).toMatchObject({ code, retryAfterMs: code === 'rate_limited' ? 7_000 : null })
})

it('gives up on a server that does not answer: getMe after 10 s, a send after 30 s', async () => {
  const { world: at, io, connection } = await world()
  await at.control.injectFault({ kind: 'hang', method: '*', times: null })
  const { ended } = run(connection)
  const validated = telegram.validate(at.credentials, io, never)
  const chat = { id: '42', kind: 'direct' } as const
  const sent = connection.send({ kind: 'text', deliveryId: 'a.1', chat, body: 'x', plain: true }, never)
  await io.clock.untilSleeping(3)
  await io.clock.advance(10_000)
  expect(await ended).toMatchObject({ code: 'network' })
  expect(await validated).toMatchObject({ ok: false, reason: 'unreachable' })
  await io.clock.advance(20_000)
  expect(await sent).toMatchObject({ status: 'unknown' })
})

it.each([
  ['none', null, undefined],
  ['a fresh one', (nowMs: number) => writeCursor({ offset: 12, atMs: nowMs - DAY_MS }), 12],
  ['one of last week', (nowMs: number) => writeCursor({ offset: 12, atMs: nowMs - 7 * DAY_MS }), undefined],
  ['one that is not understood', () => 'offset=12', undefined],
])('begins with the offset of the stored cursor: %s', async (_which, cursorAt, offset) => {
  const calls: Call[] = []
  const io = testIo({ fetch: scripted([[{ update_id: 40, message: message(1, 'a') }]], calls) })
  const receiver = run(telegram.connect(credentials, io), {
    cursor: cursorAt === null ? null : cursorAt(io.clock.now()),
  })
  await receiver.until(() => receiver.batches.length >= 1)
  await until(() => polls(calls).length === 2) // the next one is held
  const [first, second] = polls(calls)
  expect(first).toMatchObject({ timeout: 0, limit: 100 })
  expect(object(first)?.['offset']).toBe(offset)
  expect(second).toMatchObject({ timeout: 25, offset: 41 })
})

it('goes on when the ids of the server begin anew below the stored offset', async () => {
  const { world: at, io, connection } = await world()
  await at.say('after the new beginning')
  const receiver = run(connection, { cursor: writeCursor({ offset: 900_000_000, atMs: io.clock.now() }) })
  await receiver.until(() => receiver.batches.length >= 1)
  await at.say('and the next')
  await receiver.until(() => receiver.batches.length >= 2)
  expect(receiver.batches.map(({ events }) => events.map((event) => 'text' in event && event.text))).toEqual([
    ['after the new beginning'],
    ['and the next'],
  ])
  expect(receiver.batches.map(({ cursor }) => readCursor(cursor)?.offset)).toEqual([700_000_002, 700_000_003])
  const { confirmed } = await at.control.updates()
  expect(confirmed.map(({ update }) => update.update_id)).toEqual([700_000_001])
})

it('keeps its cursor exactly, and takes nothing else for one', () => {
  const position = { offset: 700_000_002, atMs: 1_763_700_000_000 }
  expect(readCursor(writeCursor(position))).toEqual(position)
  for (const odd of [null, '', '5', '5@', '-1@5', '5@5 ', '99999999999999999@1', '9'.repeat(16) + '@1']) {
    expect(readCursor(odd)).toBeNull()
  }
})

it('moves on past updates that are malformed or not for the core, and says which', async () => {
  const calls: Call[] = []
  const poison = { update_id: 5, message: { message_id: {}, chat: [] } }
  const strange = { update_id: 6, something_new: {} }
  const io = testIo({
    fetch: scripted([[poison, strange, null], [{ update_id: 7, message: message(1, 'good') }]], calls),
  })
  const receiver = run(telegram.connect(credentials, io))
  await receiver.until(() => receiver.batches.length >= 2)
  expect(receiver.batches.map(({ events, cursor }) => [events.length, readCursor(cursor)?.offset])).toEqual([
    [0, 7],
    [1, 8],
  ])
  expect(inspect(io.lines, { depth: 9 })).toMatch(/update_id: 5.*message\.chat/s)
})

it.each([
  ['updates without numbers', [[{ message: message(1, 'a') }]]],
  [
    'the same updates again',
    [[{ update_id: 1, message: message(1, 'a') }], [{ update_id: 1, message: message(1, 'a') }]],
  ],
  ['no list', [{}]],
])('does not spin on a server that hands out %s', async (_what, answers) => {
  const io = testIo({ fetch: scripted(answers, []) })
  expect(await run(telegram.connect(credentials, io)).ended).toMatchObject({ code: 'network' })
})

it('waits before it polls again when the server does not hold polls', async () => {
  const calls: Call[] = []
  const io = testIo({ fetch: scripted([[], [], []], calls) })
  run(telegram.connect(credentials, io))
  await until(() => polls(calls).length === 2 && io.clock.sleeping === 1)
  await io.clock.advance(999)
  expect(polls(calls)).toHaveLength(2)
  await io.clock.advance(1)
  await until(() => polls(calls).length === 3)
})

it('lets a pressed button rest only after the press is stored', async () => {
  const calls: Call[] = []
  const from = { id: 42, is_bot: false, first_name: 'Ann' }
  const callback_query = { id: 'q1', from, message: message(3, 'Choose'), data: 'yes' }
  const io = testIo({ fetch: scripted([[{ update_id: 1, callback_query }]], calls) })
  const receiver = run(telegram.connect(credentials, io), {
    accept: () => expect(calls.map(({ method }) => method)).not.toContain('answerCallbackQuery'),
  })
  await receiver.until(() => receiver.batches.length >= 1)
  await until(() => calls.length === 4)
  expect(calls).toContainEqual({ method: 'answerCallbackQuery', body: { callback_query_id: 'q1' } })
})

const leaks: readonly [how: string, answer: (url: string) => Promise<Response>][] = [
  ['an error with the URL', (url) => Promise.reject(new Error(`request to ${url} failed`))],
  [
    'a cause with the URL',
    (url) =>
      Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error(url), { code: 'EPIPE', url }) })),
  ],
  [
    'an answer with the token',
    (url) => Promise.resolve(Response.json({ ok: false, error_code: 404, description: url })),
  ],
  ['a page with the URL', (url) => Promise.resolve(new Response(`<h1>${url} not found</h1>`, { status: 404 }))],
  ['a redirect with the URL', (url) => Promise.resolve(new Response('', { status: 302, headers: { location: url } }))],
]
it.each(leaks)('keeps the token out of everything: %s', async (_how, answer) => {
  const io = testIo({ fetch: (input) => answer(toUrlText(input)) })
  const connection = telegram.connect(credentials, io)
  const chat = { id: '42', kind: 'direct' } as const
  const part = { kind: 'text', deliveryId: 'a.1', chat, body: 'x', plain: true } as const
  const seen = [
    await run(connection).ended,
    await connection.send(part, never),
    await connection.can.draft?.(part, never),
    await connection.can.typing?.(chat, never),
    await connection.can.fetchMedia?.({ kind: 'file', ref: 'x' }, never).catch((error: unknown) => error),
    await connection.can.findSent?.find(part, '1', [], never),
    await telegram.validate(credentials, io, never),
    await telegram.diagnose(credentials, io, never),
    io.lines,
  ]
  expect(seen[0]).toBeInstanceOf(Error)
  expect(inspect(seen, { depth: 20, showHidden: true })).not.toContain(SECRET)
})
