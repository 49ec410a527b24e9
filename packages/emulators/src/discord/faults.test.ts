import { expect, it } from 'vitest'
import { connectControl } from '../kit/control.ts'
import type { DiscordFault } from './faults.ts'
import { type Bench, openBench } from './wire-client.ts'

const ann = { id: '7', name: 'Ann' }

/** The path of the messages of Ann's private channel. */
const hello = async ({ control }: Bench): Promise<string> =>
  `/channels/${(await control.say({ from: ann, text: 'hello' })).chatId}/messages`
const shown = async ({ control }: Bench): Promise<readonly string[]> => (await control.sent()).map(({ text }) => text)

const faults: readonly [fault: DiscordFault, status: number, body: Readonly<Record<string, unknown>>][] = [
  [{ kind: 'unauthorized' }, 401, { message: '401: Unauthorized', code: 0 }],
  [{ kind: 'error', status: 403, code: 50_013, message: 'Missing Permissions' }, 403, { code: 50_013 }],
  [{ kind: 'error', status: 403, code: 50_007, message: 'Cannot send messages to this user' }, 403, { code: 50_007 }],
  [{ kind: 'rate_limited', retryAfter: 0.5 }, 429, { retry_after: 0.5, global: false }],
  [{ kind: 'rate_limited', retryAfter: 2, scope: 'global' }, 429, { retry_after: 2, global: true }],
  [{ kind: 'rate_limited', retryAfter: 2, scope: 'shared', code: 20_016 }, 429, { code: 20_016, global: false }],
  [{ kind: 'server_error', status: 500 }, 500, {}],
  [{ kind: 'bad_gateway' }, 502, {}],
]
it.each(faults)('answers as %j says, without effect, and the next call as always', async (fault, status, body) => {
  await using bench = await openBench()
  const path = await hello(bench)
  await bench.control.injectFault({ ...fault, method: 'messages.create' })
  const handleRequest = await bench.call('POST', path, { content: 'x' })
  expect(handleRequest).toMatchObject({ status, body })
  const scope = fault.kind === 'rate_limited' ? (fault.scope ?? 'user') : null
  expect(handleRequest.headers.get('x-ratelimit-scope')).toBe(scope)
  expect(handleRequest.headers.get('x-ratelimit-global')).toBe(scope === 'global' ? 'true' : null)
  expect(await shown(bench)).toEqual([])
  expect(await bench.call('POST', path, { content: 'y' })).toMatchObject({ status: 200 })
})

const lost: readonly [fault: DiscordFault, texts: readonly string[]][] = [
  [{ kind: 'drop_before' }, []],
  [{ kind: 'drop_after' }, ['x']],
]
it.each(lost)('%j leaves a send unanswered with %j shown', async (fault, texts) => {
  await using bench = await openBench()
  const path = await hello(bench)
  await bench.control.injectFault({ ...fault, method: 'messages.create' })
  await expect(bench.call('POST', path, { content: 'x' })).rejects.toThrow('fetch failed')
  expect(await shown(bench)).toEqual(texts)
})

const nonsense: readonly [why: string, fault: object][] = [
  ['a kind that does not exist', { kind: 'nonsense' }],
  ['a method that does not exist', { kind: 'error', status: 403, code: 1, message: '', method: 'messages.creat' }],
  ['a method that it says nothing about', { kind: 'no_heartbeat_ack', method: 'messages.create' }],
  ['a status that is no error of a server', { kind: 'server_error', status: 200 }],
]
it.each(nonsense)('refuses a fault with %s', async (_why, fault) => {
  await using bench = await openBench()
  await expect(bench.control.injectFault(fault as DiscordFault)).rejects.toBeInstanceOf(RangeError) // as over HTTP
})

it('answers the same control over HTTP', async () => {
  await using bench = await openBench()
  const control = connectControl<DiscordFault>(bench.url)
  const { chatId } = await control.say({ from: ann, text: 'hello' })
  await control.injectFault({ kind: 'drop_after', method: 'messages.create' })
  expect(await control.faults()).toHaveLength(1)
  await control.clearFaults()
  await bench.call('POST', `/channels/${chatId}/messages`, { content: 'hi' })
  expect(await control.waitForSent({ chatId })).toMatchObject([{ text: 'hi' }])
  expect(await control.bot()).toEqual(await bench.control.bot())
  await expect(control.scan({ act: 'stale' })).rejects.toThrow("doesn't support stale")
})
