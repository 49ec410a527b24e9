import { expect, it } from 'vitest'
import type { FaultSpec } from './faults.ts'
import { manualClock, openBench } from './wire-client.ts'

const answers: readonly [fault: FaultSpec, status: number, body: Readonly<Record<string, unknown>>][] = [
  [{ kind: 'unauthorized' }, 401, { description: 'Unauthorized' }],
  [{ kind: 'blocked' }, 403, { description: 'Forbidden: bot was blocked by the user' }],
  [{ kind: 'method_not_found' }, 404, { description: 'Not Found: method not found' }],
  [
    { kind: 'poller_conflict' },
    409,
    { description: expect.stringMatching(/^Conflict: terminated by other getUpdates/) },
  ],
  [{ kind: 'webhook_conflict' }, 409, { description: expect.stringMatching(/^Conflict: can't use getUpdates/) }],
  [
    { kind: 'rate_limited', retryAfter: 7 },
    429,
    { description: 'Too Many Requests: retry after 7', parameters: { retry_after: 7 } },
  ],
  [{ kind: 'cannot_parse' }, 400, { description: expect.stringMatching(/^Bad Request: can't parse entities: /) }],
  [{ kind: 'too_large' }, 413, { description: 'Request Entity Too Large' }],
  [{ kind: 'server_error', status: 500 }, 500, { description: 'Internal Server Error' }],
  [{ kind: 'error', code: 400, description: 'Bad Request: odd' }, 400, { description: 'Bad Request: odd' }],
]
it.each(answers)('%j answers %i once, and the next call passes', async (fault, status, body) => {
  await using bench = await openBench()
  await bench.control.say({ from: 42, text: 'hello' })
  await bench.control.injectFault({ method: 'sendMessage', ...fault })
  const answer = await bench.call('sendMessage', { chat_id: 42, text: 'x' })
  expect(answer).toMatchObject({ status, body: { ok: false, error_code: status, ...body } })
  expect(answer.headers.get('retry-after')).toBe(status === 429 ? '7' : null)
  expect(await bench.control.sent()).toEqual([])
  await bench.result('sendMessage', { chat_id: 42, text: 'x' })
  expect(await bench.control.faults()).toEqual([])
})

const lost: readonly [fault: FaultSpec, shown: number][] = [
  [{ kind: 'drop_before' }, 0],
  [{ kind: 'drop_after' }, 1],
]
it.each(lost)('%j closes the connection with %i messages shown', async (fault, shown) => {
  await using bench = await openBench()
  await bench.control.say({ from: 42, text: 'hello' })
  await bench.control.injectFault(fault)
  await expect(bench.call('sendMessage', { chat_id: 42, text: 'x' })).rejects.toThrow()
  expect(await bench.control.sent()).toHaveLength(shown)
  expect((await bench.control.requests()).map(({ status }) => status)).toEqual([0])
})

it('hangs until the caller gives up', async () => {
  await using bench = await openBench()
  await bench.control.injectFault({ kind: 'hang' })
  const giveUp = new AbortController()
  const call = bench.call('getMe', {}, giveUp.signal)
  while ((await bench.control.faults()).length > 0) await new Promise((resolve) => setImmediate(resolve))
  giveUp.abort()
  await expect(call).rejects.toThrow('abort')
})

it('takes effect at once and answers late when it is slow', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  await bench.control.say({ from: 42, text: 'hello' })
  await bench.control.injectFault({ kind: 'slow', ms: 9_000, method: 'sendMessage' })
  const call = bench.call('sendMessage', { chat_id: 42, text: 'x' })
  await clock.asleep()
  expect(clock.asleepFor(9_000)).toBe(1)
  expect((await bench.control.sent()).map(({ text }) => text)).toEqual(['x'])
  clock.advance(9_000)
  expect((await call).status).toBe(200)
})

it('drops every connection to the Bot API, held polls included, and no update with them', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const held = bench.call('getUpdates', { timeout: 50 })
  await clock.asleep()
  expect((await bench.control.bots())[0]?.polling).toBe(true)
  await bench.control.dropConnections()
  await expect(held).rejects.toThrow('fetch failed')
  while ((await bench.control.bots())[0]?.polling) await new Promise((resolve) => setImmediate(resolve))
  const { updateId } = await bench.control.say({ from: 42, text: 'hello' })
  expect(await bench.poll()).toEqual([updateId])
  expect((await bench.control.updates()).pending.map(({ deliveries }) => deliveries)).toEqual([1])
})

it('answers a proxy page instead of JSON', async () => {
  await using bench = await openBench()
  await bench.control.injectFault({ kind: 'bad_gateway', times: null })
  const response = await fetch(`${bench.root}/getMe`)
  expect([response.status, response.headers.get('content-type')]).toEqual([502, 'text/html'])
  expect(await response.text()).toContain('<h1>502 Bad Gateway</h1>')
  await bench.control.clearFaults()
  expect((await bench.call('getMe')).status).toBe(200)
})

it('hits only the method and the chat that a fault names', async () => {
  await using bench = await openBench()
  for (const from of [42, 43]) await bench.control.say({ from, text: 'hello' })
  await bench.control.injectFault({ kind: 'blocked', method: 'SendMessage', chatId: 43 })
  expect((await bench.call('sendChatAction', { chat_id: 43, action: 'typing' })).status).toBe(200)
  expect((await bench.call('sendMessage', { chat_id: 42, text: 'x' })).status).toBe(200)
  expect((await bench.call('sendMessage', { chat_id: 43, text: 'x' })).status).toBe(403)
})

it('refuses a revoked token, an unknown one and a malformed one', async () => {
  await using bench = await openBench()
  const { id } = await bench.control.revokeToken({})
  expect((await bench.call('getMe')).body).toEqual({ ok: false, error_code: 401, description: 'Unauthorized' })
  const next = `${id}:another-token-AAAAAAAAAAAAAAAAAAAAAAAA`
  await bench.control.revokeToken({ token: next })
  const statuses = [next, `77:${'x'.repeat(35)}`, 'nonsense'].map(
    async (token) => (await fetch(`${bench.url}/bot${token}/getMe`)).status,
  )
  expect(await Promise.all(statuses)).toEqual([200, 401, 404])
  expect((await bench.call('getMe')).status).toBe(401)
})
