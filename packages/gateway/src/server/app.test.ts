import { type TestServer, TOKEN, testServer } from '../testing/test-server.ts'
import { OWNER } from '../accounts/caller.ts'
import { createApp } from './app.ts'
import { GATEWAY_ERRORS } from './errors.ts'
import type { GatewayRoute } from './gateway-route.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern)

const owner = { accountId: 'owner' }
const wholePage = { limit: 50, before: null }

const asked: readonly [method: string, path: string, body: unknown, call: readonly unknown[]][] = [
  ['GET', '/api/channels', undefined, ['list', owner]],
  ['GET', '/api/channels/telegram', undefined, ['details', owner, 'telegram']],
  ['GET', '/api/channels/platform_e', undefined, ['details', owner, 'telegram']],
  ['GET', '/api/channels/Lark', undefined, ['details', owner, 'feishu']],
  ['POST', '/api/channels/telegram', { enabled: true }, ['save', owner, 'telegram', { enabled: true }]],
  ['DELETE', '/api/channels/telegram', undefined, ['disable', owner, 'telegram']],
  ['POST', '/api/channels/telegram/test', undefined, ['test', owner, 'telegram', undefined]],
  ['POST', '/api/channels/telegram/test', { bot_token: 'x' }, ['test', owner, 'telegram', { bot_token: 'x' }]],
  ['GET', '/api/channels/telegram/users', undefined, ['users', owner, 'telegram']],
  ['POST', '/api/channels/wechat/send', { message: 'hi' }, ['send', owner, 'weixin', 'hi', null]],
  ['POST', '/api/channels/telegram/send', { message: 'hi', user_id: '7' }, ['send', owner, 'telegram', 'hi', '7']],
  ['GET', '/api/channels/telegram/messages', undefined, ['messages', owner, 'telegram', wholePage]],
  [
    'GET',
    '/api/channels/telegram/messages?limit=200&before=m%2F1',
    undefined,
    ['messages', owner, 'telegram', { limit: 200, before: 'm/1' }],
  ],
  [
    'GET',
    '/api/channels/telegram/deliveries',
    undefined,
    ['deliveries', owner, 'telegram', { ...wholePage, dead: false }],
  ],
  [
    'GET',
    '/api/channels/telegram/deliveries?dead=true&limit=1',
    undefined,
    ['deliveries', owner, 'telegram', { limit: 1, before: null, dead: true }],
  ],
  ['POST', '/api/channels/telegram/deliveries/d%2F1.0/resend', undefined, ['resend', owner, 'telegram', 'd/1.0']],
  ['POST', '/api/channels/telegram/deliveries/d%2F1.0/dismiss', undefined, ['dismiss', owner, 'telegram', 'd/1.0']],
  ['DELETE', '/api/channels/platform_e/credentials', undefined, ['forget', owner, 'telegram']],
  [
    'GET',
    '/api/conversations?q=100%25_%00&kind=group&state=waiting&platform=telegram',
    undefined,
    [
      'history.conversations',
      owner.accountId,
      { ...wholePage, platform: 'telegram', q: '100%_\0', kind: 'group', state: 'waiting' },
    ],
  ],
  ['GET', '/api/conversations/c%2F1', undefined, ['history.conversation', owner.accountId, 'c/1', wholePage]],
  [
    'GET',
    '/api/deliveries?state=unknown',
    undefined,
    ['history.deliveries', owner.accountId, { ...wholePage, platform: null, dead: false, state: 'unknown' }],
  ],
  ['GET', '/api/analytics?from=5', undefined, ['history.traffic', owner.accountId, { from: 5, to: null }]],
  ['GET', '/api/channels/telegram/doctor', undefined, ['diagnose', owner, 'telegram']],
]

describe('a good request', () => {
  it.each(asked)('%s %s asks the service', async (method, path, body, call) => {
    const answer = await server.call(method, path, body)
    expect({ status: answer.status, last: server.channels.calls.at(-1) }).toEqual({ status: 200, last: call })
  })

  it('is confirmed with exactly ok, and with the address of the delivery', async () => {
    const answer = await server.call('POST', '/api/channels/platform_e/send', { message: 'hi' })
    expect(await answer.json()).toEqual({ ok: true })
    expect(answer.headers.get('location')).toBe('/api/channels/telegram/deliveries/d%2F1.0')
  })

  it('is noted when it changes something, and not when it only looks', async () => {
    const before = server.audited.length
    await server.call('POST', '/api/channels/telegram/preview', { message: 'hi' })
    await server.call('POST', '/api/channels/telegram/preview', {})
    await server.call('GET', '/api/channels')
    await server.call('DELETE', '/api/channels/telegram')
    expect(server.audited.slice(before).map(({ action }) => action)).toEqual(['disableChannel'])
  })

  it('may come from the own page, and in any case of the scheme', async () => {
    const headers = { origin: server.url, authorization: `bearer ${TOKEN}` }
    expect((await server.call('POST', '/api/channels/telegram', { enabled: true }, headers)).status).toBe(200)
  })

  it('may ask for the head alone', async () => {
    const answer = await server.call('HEAD', '/api/channels')
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      200,
      'application/json; charset=utf-8',
      '',
    ])
  })
})

describe('the protection of every answer', () => {
  it.each(['/', '/api/docs', '/healthz', '/api/channels', '/nothing'])('%s', async (path) => {
    const { headers } = await server.call('GET', path)
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': matching(/^default-src 'none'.*frame-ancestors 'none'/),
      'x-request-id': matching(/^request-/),
    })
    expect(headers.has('strict-transport-security')).toBe(false)
    expect(headers.has('access-control-allow-origin')).toBe(false)
  })

  it('does not let a route without a scope be served', () => {
    const [route] = server.options.routes
    // What a forgotten scope looks like at run time; the type forbids it.
    const open = { ...route, scope: undefined } as unknown as GatewayRoute
    expect(() => createApp({ ...server.options, routes: [open] })).toThrow('GET /api/channels names no known scope')
  })

  it('refuses a caller whose token does not reach so far', () => {
    const app = createApp({
      ...server.options,
      people: { ...server.options.people, findCaller: async () => ({ ...OWNER, scopes: new Set(['channels:read']) }) },
    })
    const sent = app.request('http://127.0.0.1/api/channels/telegram', {
      method: 'DELETE',
      headers: { host: '127.0.0.1' },
    })
    return expect(Promise.resolve(sent).then((answer) => answer.json())).resolves.toEqual({
      ok: false,
      error: GATEWAY_ERRORS.scope_missing.message,
      code: 'scope_missing',
    })
  })
})

describe('behind a reverse proxy', () => {
  it('is known by the public name, keeps to TLS and believes no peer for being local', async () => {
    await using proxied = await testServer({ addresses: { host: '127.0.0.1', publicUrl: 'https://gate.example.org' } })
    const app = createApp(proxied.options)
    const ask = async (
      path: string,
      init: { method?: string; headers?: Record<string, string> } = {},
    ): Promise<Response> =>
      app.request(`http://gate.example.org${path}`, {
        ...init,
        headers: { host: 'gate.example.org', authorization: `Bearer ${TOKEN}`, ...init.headers },
      })
    const listed = await ask('/api/channels')
    expect([listed.status, listed.headers.get('strict-transport-security')]).toEqual([200, 'max-age=31536000'])
    const own = { method: 'DELETE', headers: { origin: 'https://gate.example.org' } }
    expect((await ask('/api/channels/telegram', own)).status).toBe(200)
    const other = { method: 'DELETE', headers: { origin: 'https://other.example.org' } }
    expect((await ask('/api/channels/telegram', other)).status).toBe(403)
    expect((await fetch(`${proxied.url}/metrics`)).status).toBe(401)
  })

  it('extends TLS to subdomains if the operator says so', async () => {
    const addresses = { host: '127.0.0.1', publicUrl: 'https://gate.example.org', hstsSubdomains: true }
    await using proxied = await testServer({ addresses })
    const { headers } = await fetch(`${proxied.url}/healthz`)
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains')
  })
})

describe('health', () => {
  it('is alive without any proof', async () => {
    const answer = await fetch(`${server.url}/healthz`)
    expect([answer.status, await answer.json()]).toEqual([200, { ok: true }])
  })

  const states: readonly [
    why: string,
    state: { database: boolean; enabled: number; running: number },
    status: number,
  ][] = [
    ['all channels run', { database: true, enabled: 2, running: 2 }, 200],
    ['nothing is enabled', { database: true, enabled: 0, running: 0 }, 200],
    ['a channel does not run', { database: true, enabled: 2, running: 1 }, 503],
    ['the database is down', { database: false, enabled: 0, running: 0 }, 503],
  ]
  it.each(states)('is ready or not when %s', async (_why, state, status) => {
    server.channels.ready(state)
    const answer = await fetch(`${server.url}/readyz`)
    expect([answer.status, await answer.json()]).toEqual([status, { ok: status === 200, ...state, stopping: false }])
  })

  it('answers whoever waits for a change when it stops', async () => {
    const stopping = new AbortController()
    const waiting = Promise.withResolvers<void>()
    const routes = server.options.routes.map(
      (route): GatewayRoute =>
        route.id !== 'getSetup'
          ? route
          : {
              ...route,
              handle: async ({ signal }) => {
                waiting.resolve()
                await new Promise((resolve) => signal.addEventListener('abort', resolve))
                return { status: 200, body: { state: 'waiting' } }
              },
            },
    )
    const app = createApp({ ...server.options, routes, stopping: stopping.signal })
    const headers = { host: '127.0.0.1', authorization: `Bearer ${TOKEN}` }
    const answer = app.request('http://127.0.0.1/api/channels/weixin/setup/s1?wait=50', { headers })
    await waiting.promise
    stopping.abort()
    expect(await (await answer).json()).toEqual({ state: 'waiting' })
  })

  it('counts what happens, in the text of Prometheus', async () => {
    const answer = await fetch(`${server.url}/metrics`)
    const text = await answer.text()
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ])
    for (const line of [
      'gatepost_channels{platform="telegram",state="running"} 1',
      'gatepost_channels{platform="telegram",state="rejected"} 0',
      'gatepost_turns_total{outcome="answered"} 2',
      'gatepost_answer_duration_seconds_bucket{le="0.025"} 2',
      'gatepost_answer_duration_seconds_bucket{le="+Inf"} 2',
      'gatepost_answer_duration_seconds_sum 0.02',
      'process_cpu_seconds_total 2',
    ]) {
      expect(text.split('\n')).toContain(line)
    }
    expect(text).toMatch(/^gatepost_http_requests_total\{route="healthz",status="200"\} \d+$/m)
    const shape = /^(# (HELP|TYPE) .+|[a-z_]+(\{([a-z_]+="[^"]*",?)+\})? (-?[\d.e+-]+|\+Inf|NaN)|)$/
    expect(text.split('\n').filter((line) => !shape.test(line))).toEqual([])
  })

  it.each([
    ['x-forwarded-for', '203.0.113.9'],
    ['x-forwarded-proto', 'https'],
    ['x-forwarded-host', 'gate.example.org'],
    ['x-real-ip', '203.0.113.9'],
    ['forwarded', 'for=203.0.113.9'],
    ['via', '1.1 proxy'],
  ])('hides metrics from requests forwarded with %s', async (name, value) => {
    expect((await fetch(`${server.url}/metrics`, { headers: { [name]: value } })).status).toBe(401)
  })

  it('shows metrics to the owner behind a proxy', async () => {
    const proven = { 'x-forwarded-for': '203.0.113.9', authorization: `Bearer ${TOKEN}` }
    expect((await fetch(`${server.url}/metrics`, { headers: proven })).status).toBe(200)
  })
})
