import { expect, it } from 'vitest'
import { held, never, testIo, toUrlText } from '../wire/testing.ts'
import { openClient, parseGatewayUrl, parseDiscordUrl } from './client.ts'
import { openBench } from './discord-run.contract.ts'
import type { Answer } from './outcome.ts'
import { discord } from './platform.ts'

const TOKEN = 'MTIz.AAAAAA.secret-part'
const json = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json', ...headers } })
const page = (status: number): Response =>
  new Response('<html>no</html>', { status, headers: { 'content-type': 'text/html' } })

function createClient(answer: (signal: AbortSignal | null) => Response | Promise<Response>) {
  const requests: RequestInit[] = []
  const fetchIt: typeof fetch = async (_url, init = {}) => {
    requests.push(init)
    return answer(init.signal ?? null)
  }
  const io = testIo({ fetch: fetchIt })
  const client = openClient(TOKEN, 'https://discord.com/api', io)
  const ask = (): Promise<Answer> =>
    client.call({ method: 'POST', path: '/channels/1300000000000000001/messages', body: { content: 'x' } }, LIMITS)
  return { requests, ask, io }
}
const LIMITS = { signal: never, timeoutMs: 1_000 }

const refusedConnection = (): never => {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }) })
}
const brokenConnection = (): never => {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) })
}

it.each<[string, () => Response, object]>([
  ['an answer', () => json(200, { id: '1' }), { ok: true, result: { id: '1' } }],
  ['a list', () => json(200, [1]), { ok: true, result: [1] }],
  ['an empty answer that says it is JSON', () => new Response(null, { status: 204 }), { ok: true }],
  ['a refusal', () => json(403, { code: 50_013, message: 'Missing Permissions' }), said(403, 50_013)],
  ['a refusal without a code', () => json(400, { message: 'Bad Request' }), said(400, 0)],
  ['an error of the server', () => json(500, { message: 'oops' }), said(500, 0)],
  ['an empty error', () => new Response(null, { status: 404 }), said(404, 0)],
  ['a limit', () => json(429, { retry_after: 3 }, { 'retry-after': '3' }), limit(3_050)],
  ['a limit of a proxy', () => page(429), limit(5_000)],
  ['a page of a proxy', () => page(502), { failure: { kind: 'foreign', status: 502 } }],
  ['a page where Discord should be', () => page(200), { failure: { kind: 'foreign', status: 200 } }],
  ['a page that asks for a log-in', () => page(401), { failure: { kind: 'foreign', status: 401 } }],
  ['broken JSON', () => new Response('{', { status: 200, headers: JSON_TYPE }), { failure: { kind: 'foreign' } }],
  ['a number', () => json(400, 5), { failure: { kind: 'foreign', status: 400 } }],
  ['a way elsewhere', () => new Response(null, { status: 302 }), { failure: { kind: 'foreign', status: 302 } }],
  ['nobody who listens', refusedConnection, { failure: { kind: 'unsent' } }],
  ['a connection that breaks', brokenConnection, { failure: { kind: 'unanswered' } }],
])('reads %s', async (_what, answer, expected) => {
  expect(await createClient(answer).ask()).toMatchObject(expected)
})

it('asks once, follows nobody elsewhere, and says who it is', async () => {
  const { ask, requests } = createClient(() => json(500, {}))
  await ask()
  expect(requests).toHaveLength(1)
  expect(requests[0]?.redirect).toBe('manual')
  const headers = new Headers(requests[0]?.headers)
  expect(headers.get('authorization')).toBe(`Bot ${TOKEN}`)
  expect(headers.get('user-agent')).toMatch(/^DiscordBot \(https?:\/\/\S+, [\d.]+\)/)
})

it('does not ask again with a token that was refused', async () => {
  const { ask, requests } = createClient(() => json(401, { code: 0, message: '401: Unauthorized' }))
  const first = await ask()
  expect(await ask()).toEqual(first)
  expect(first).toMatchObject(said(401, 0))
  expect(requests).toHaveLength(1)
})

it('tells of a used up bucket without asking', async () => {
  const headers = { 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '4' }
  const { ask, requests } = createClient(() => json(200, { id: '1' }, headers))
  await ask()
  expect(await ask()).toMatchObject({ failure: { kind: 'limited' } })
  expect(requests).toHaveLength(1)
})

it('keeps the token out of the words of Discord', async () => {
  const { ask } = createClient(() => json(400, { code: 1, message: `no ${TOKEN} and no AAAAAA.secret-part` }))
  expect(JSON.stringify(await ask())).not.toContain('secret-part')
})

it('gives up when its time is over', async () => {
  const { ask, io } = createClient(held)
  const asked = ask()
  await io.clock.untilSleeping(1)
  await io.clock.advance(1_000)
  expect(await asked).toMatchObject({ failure: { kind: 'unanswered', detail: 'no response within 1 s' } })
})

const JSON_TYPE = { 'content-type': 'application/json' }

function said(status: number, code: number): object {
  return { ok: false, failure: { kind: 'answer', status, code } }
}
function limit(retryAfterMs: number): object {
  return { ok: false, failure: { kind: 'limited', retryAfterMs } }
}

const DISCORD = 'https://discord.com/api'
it.each<[string, 'web' | 'socket', string, boolean]>([
  ['wss://gateway.discord.gg', 'socket', DISCORD, true],
  ['wss://gateway-us-east1-b.discord.gg/', 'socket', DISCORD, true],
  ['ws://gateway.discord.gg', 'socket', DISCORD, false],
  ['wss://gateway.discord.gg.evil.example', 'socket', DISCORD, false],
  ['https://cdn.discordapp.com/attachments/1', 'web', DISCORD, true],
  ['https://evil.example/attachments/1', 'web', DISCORD, false],
  ['https://relay.example.org/x', 'web', 'https://relay.example.org/api', true],
  ['https://10.0.0.1/x', 'web', 'https://relay.example.org/api', false],
])('opens %s as %s of %s: %s', (url, kind, api, isFine) => {
  expect(parseDiscordUrl(url, kind, api) !== null).toBe(isFine)
})

it.each([
  ['wss://gateway.discord.gg', 'wss://gateway.discord.gg/'],
  [' wss://gateway.discord.gg \n', 'wss://gateway.discord.gg/'],
  ['wss://gateway.discord.gg/resume?v=9#', 'wss://gateway.discord.gg/resume'],
  ['wss://evil.example', null],
])('hands the library of %j what it can append its query to', (url, expected) => {
  expect(parseGatewayUrl(url, DISCORD)).toBe(expected)
})

it('lives on when the address of the gateway has a blank behind it', async () => {
  const bench = await openBench()
  const { world, stored, io } = bench
  const spoiling: typeof fetch = async (...request) => {
    const answer = await io.fetch(...request)
    if (!toUrlText(request[0]).endsWith('/gateway/bot')) return answer
    return new Response((await answer.text()).replace(/"(wss?:[^"]+)"/, '"$1 "'), answer)
  }
  bench.run(discord.connect(world.credentials, { ...io, fetch: spoiling }))
  await bench.until(() => stored.heardAtMs !== null)
  await world.say('heard all the same')
  await bench.until(() => bench.texts().length === 1)
  expect(bench.texts()).toEqual(['heard all the same'])
})

it('lives on when the place to resume at is stored with a fragment', async () => {
  const bench = await openBench()
  const { world, stored } = bench
  const first = bench.run()
  await bench.until(() => stored.heardAtMs !== null)
  await first.stop()
  const cursor = stored.cursor?.replace('/resume"', '/resume#"')
  expect(cursor).toContain('#')
  stored.cursor = cursor ?? null
  await world.say('meanwhile')
  bench.run()
  await bench.until(() => bench.texts().length === 1)
  expect(await world.control.requests({ method: 'resume' })).toHaveLength(1)
})
