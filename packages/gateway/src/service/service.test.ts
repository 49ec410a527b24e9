import { readdir, readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AccountsWorld, accountsWorld } from '../testing/accounts-world.ts'
import type { BrowserSession } from '../testing/browser-session.ts'

const KEY = 'made-up-key-of-an-endpoint-1234'

/** An endpoint of somebody's: what it was asked, and with which bearer. */
interface Endpoint {
  readonly url: string
  readonly server: Server
  readonly bearers: (string | null)[]
}

async function endpoint(answer: string, status = 200): Promise<Endpoint> {
  const bearers: (string | null)[] = []
  const server = createServer((request, response) => {
    bearers.push(request.headers.authorization ?? null)
    const headers = { 'content-type': 'application/json' }
    request.resume().on('end', () => response.writeHead(status, headers).end(JSON.stringify({ text: answer })))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  return { url: `http://127.0.0.1:${port}/reply`, server, bearers }
}

let world: AccountsWorld
let ann: BrowserSession
let bo: BrowserSession
let here: Endpoint
let there: Endpoint
let broken: Endpoint
/** Everything that was answered. */
const told: string[] = []
beforeAll(async () => {
  world = await accountsWorld({ GATEPOST_LOG_LEVEL: 'debug' })
  ann = await world.first()
  bo = await world.invited('bo@example.org')
  ;[here, there] = [await endpoint('Hello from here'), await endpoint('Hello from there')]
  broken = await endpoint('no', 500)
})
afterAll(async () => {
  for (const { server } of [here, there, broken]) server.close()
  await world[Symbol.asyncDispose]()
})

async function call(method: string, path: string, body?: unknown, who = ann): Promise<readonly [number, unknown]> {
  const answer = await who.call(method, `/api/${path}`, body)
  told.push(answer.text)
  return [answer.status, answer.json()]
}

it('says what it is to hasAccounts who is signed in', async () => {
  const service = {
    version: expect.stringMatching(/^\d/),
    public_url: null,
    database: 'sqlite',
    now: expect.closeTo(world.nowMs(), -5),
    demo: false,
    assistant: { kind: 'echo' },
    sign_in: { second_factor_required: false },
  }
  expect(await call('GET', 'service', undefined, bo)).toEqual([200, { ...service, can_start_demo: false }])
  expect(await call('GET', 'service')).toEqual([200, { ...service, can_start_demo: expect.any(Boolean) }])
})

it('lets staff change who answers, and sends the key to its host alone', async () => {
  const invalid = { ok: false, code: 'assistant_invalid', field: 'url', error: expect.stringContaining('"url"') }
  expect(await call('PATCH', 'assistant', { kind: 'http' })).toEqual([422, invalid])
  for (const body of [{ kind: 'command' }, { command: 'sh' }, { model: 7 }, { url: 'x'.repeat(2001) }, []]) {
    expect(await call('PATCH', 'assistant', body)).toMatchObject([422, { code: 'invalid_body' }])
  }
  const here_ = { kind: 'http', url: here.url, has_api_key: true, api_key_hint: '****1234', from_environment: [] }
  expect(await call('PATCH', 'assistant', { kind: 'http', url: here.url, api_key: KEY })).toMatchObject([200, here_])
  expect(await call('GET', 'assistant')).toMatchObject([200, { ...here_, changed_at: expect.any(Number) }])
  expect(await call('GET', 'service')).toMatchObject([200, { assistant: { kind: 'http' } }])

  const answer = { files: 0, first_piece_ms: expect.any(Number), took_ms: expect.any(Number) }
  const asked = await call('POST', 'assistant/try', { message: 'hi' })
  expect(asked).toEqual([200, { text: 'Hello from here', ...answer }])
  const elsewhere = { message: 'hi', settings: { url: there.url } }
  expect(await call('POST', 'assistant/try', elsewhere)).toEqual([200, { text: 'Hello from there', ...answer }])
  expect([here.bearers, there.bearers]).toEqual([[`Bearer ${KEY}`], [null]])
  expect(await call('GET', 'assistant')).toMatchObject([200, here_])

  expect(await call('POST', 'assistant/try', { message: 'hi', settings: { url: broken.url } })).toEqual([
    502,
    { ok: false, code: 'assistant_failed', reason: 'unreachable', error: expect.any(String) },
  ])
  for (const body of [{}, { message: '' }, { message: 'x'.repeat(4001) }, { message: 'x', settings: { kind: 'sh' } }]) {
    expect(await call('POST', 'assistant/try', body)).toMatchObject([422, { code: 'invalid_body' }])
  }
  expect(await call('PATCH', 'assistant', { url: there.url })).toMatchObject([200, { has_api_key: false }])
  expect(await call('POST', 'assistant/try', { message: 'hi' })).toMatchObject([200, { text: 'Hello from there' }])
  expect([...there.bearers, ...broken.bearers]).toEqual([null, null, null])
})

it('shows an answer as it grows', async () => {
  const body = { message: 'hi', settings: { url: here.url } }
  const stream = await ann.call('POST', '/api/assistant/try/stream', body)
  expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
  const events = [...stream.text.matchAll(/^data: (.*)$/gm)].map(([, data]): unknown => JSON.parse(String(data)))
  const took = { first_piece_ms: expect.any(Number), took_ms: expect.any(Number) }
  expect(events).toEqual([
    { type: 'text', text: 'Hello from here' },
    { type: 'done', files: 0, ...took },
  ])
  const failed = await ann.call('POST', '/api/assistant/try/stream', { ...body, settings: { url: broken.url } })
  expect(failed.text).toContain('"type":"failed","code":"assistant_failed","reason":"unreachable"')
  const refused = await ann.call('POST', '/api/assistant/try/stream', { message: 'hi', settings: { url: 'x' } })
  expect([refused.status, refused.json()]).toMatchObject([422, { code: 'assistant_invalid', field: 'url' }])
  const tokenless = await ann.call('POST', '/api/assistant/try/stream', body, { 'x-csrftoken': 'x' })
  expect([tokenless.status, tokenless.json()]).toMatchObject([403, { code: 'csrf_failed' }])
  const { items } = (await ann.get('/api/audit?limit=4')).json() as { items: { action: string; code: unknown }[] } // as declared
  expect(items.map(({ action, code }) => [action, code])).toEqual([
    ['streamAssistant', 'csrf_failed'],
    ['streamAssistant', 'assistant_invalid'],
    ['streamAssistant', null],
    ['streamAssistant', null],
  ])
})

it.each(['try', 'try/stream'])('stops asking when who asked has gone: %s', async (path) => {
  const gone = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const silent = createServer((_request, response) => {
    response.on('close', () => gone.resolve())
    asked.resolve()
  })
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as AddressInfo // it listens on a port
  const leaving = new AbortController()
  const answer = fetch(`${world.gateway().url}/api/assistant/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.gateway().ownerToken.reveal()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ message: 'hi', settings: { kind: 'http', url: `http://127.0.0.1:${port}/` } }),
    signal: leaving.signal,
  }).then((response) => response.text())
  await asked.promise
  leaving.abort()
  await expect(answer).rejects.toThrow('abort')
  await gone.promise
  silent.close()
})

it('tells staff what is logged, and not that they ask', async () => {
  const { log } = world.gateway()
  log.warn('A made-up line', { api_key: KEY, platform: 'telegram' })
  const found = await call('GET', 'logs?level=warn&q=MADE-UP%20line')
  const line = { level: 'warn', message: 'A made-up line', fields: { api_key: '****', platform: 'telegram' } }
  expect(found).toMatchObject([200, { items: [line], next: null, days: [expect.stringMatching(/^\d{4}-/)] }])
  for (const query of ['level=loud', 'q=', 'limit=501', 'limit=0', 'day=2026-02-30', 'day=../x', 'before=../../x:1']) {
    expect(await call('GET', `logs?${query}`)).toMatchObject([422, { code: 'invalid_query' }])
  }
  for (const path of ['logs', 'logs/stream', 'assistant']) {
    expect(await call('GET', path, undefined, bo)).toMatchObject([403, { code: 'scope_missing' }])
  }
  const leaving = new AbortController()
  const headers = { authorization: `Bearer ${world.gateway().ownerToken.reveal()}` }
  const stream = await fetch(`${world.gateway().url}/api/logs/stream`, { headers, signal: leaving.signal })
  const reader = (stream.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (let count = 0; !text.includes('"Another line"'); count += 1) {
    await call('GET', 'logs?limit=1') // would be a line of its own
    log.info('Another line', { count })
    text += (await reader.read()).value ?? ''
  }
  leaving.abort()
  expect(text).toMatch(
    /event: line\ndata: \{"type":"line","line":\{"id":"\d{4}-\d\d-\d\d:\d+","time":\d+,"level":"info"/,
  )
  expect(text).not.toContain('/api/logs?')
  expect((await call('GET', 'logs?q=%2Fapi%2Flogs'))[1]).toMatchObject({ items: [] })
})

it('lets the environment win, and forgets what was stored', async () => {
  await call('PATCH', 'assistant', { url: here.url, api_key: KEY })
  await world.restart({ GATEPOST_ASSISTANT: 'http', GATEPOST_ASSISTANT_URL: there.url })
  const again = { authorization: `Bearer ${world.gateway().ownerToken.reveal()}` }
  const ask = async (method: string, body?: unknown): Promise<unknown> => {
    const answer = await world.ask(method, '/api/assistant', { body, headers: again })
    told.push(JSON.stringify(answer))
    return [answer.status, answer.body]
  }
  const fixed = { kind: 'http', url: there.url, has_api_key: false, from_environment: ['kind', 'url'] }
  expect(await ask('GET')).toMatchObject([200, fixed])
  expect(await ask('PATCH', { url: here.url })).toMatchObject([409, { code: 'set_by_environment', field: 'url' }])
  expect(await ask('DELETE')).toMatchObject([200, { ...fixed, changed_at: null }])
  await world.restart()
  expect(await ask('GET')).toMatchObject([200, { kind: 'echo', url: null, from_environment: [], changed_at: null }])
})

it('tells its secrets to nobody', async () => {
  expect(told.join('\n')).not.toContain(KEY)
  const files = await readdir(world.dataDir, { recursive: true, withFileTypes: true })
  for (const file of files.filter((entry) => entry.isFile())) {
    expect((await readFile(join(file.parentPath, file.name))).includes(KEY)).toBe(false)
  }
})
