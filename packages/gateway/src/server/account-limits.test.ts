import { describe, expect, it } from 'vitest'
import { type Caller, OWNER } from '../accounts/caller.ts'
import { type TestServer, testServer, TOKEN } from '../testing/test-server.ts'
import { createAccountLimits } from './account-limits.ts'
import { createApp } from './app.ts'
import type { GatewayRoute } from './gateway-route.ts'

const SETTINGS = { requestsPerMinute: 60, concurrentRequests: 2, eventStreams: 2 }
const user = (accountId: string): Caller => ({
  ...OWNER,
  principal: { accountId },
  kind: 'token',
  userId: accountId,
  isStaff: false,
  actor: accountId,
})
const ADA = user('ada')
const BEN = user('ben')

/** The HTTP surface, where the bearer is the name of an account. */
async function open(nowMs: () => number = () => 0, replaced: readonly GatewayRoute[] = []) {
  const server: TestServer = await testServer()
  const { options } = server
  const limits = createAccountLimits(SETTINGS, { now: nowMs })
  const app = createApp({
    ...options,
    limits,
    routes: options.routes.map((route) => replaced.find(({ id }) => id === route.id) ?? route),
    people: {
      ...options.people,
      findCaller: async (request) => {
        const name = request.headers.get('authorization')?.split(' ')[1]
        return name === TOKEN ? OWNER : user(name ?? '')
      },
    },
  })
  const ask = async (name: string, path = '/api/channels', signal?: AbortSignal): Promise<Response> =>
    app.request(`http://127.0.0.1${path}`, {
      headers: { host: '127.0.0.1', authorization: `Bearer ${name}` },
      ...(signal && { signal }),
    })
  return { server, ask, limits, options }
}

describe('the limits of an account', () => {
  it('refuse an account’s requests above its rate, but not those of other accounts', async () => {
    let nowMs = 0
    const { server, ask } = await open(() => nowMs)
    await using _ = server
    for (let n = 0; n < 60; n++) expect((await ask('ada')).status).toBe(200)
    const refused = await ask('ada')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    expect(await refused.json()).toMatchObject({ ok: false, code: 'too_many_requests' })
    expect((await ask('ben')).status).toBe(200)
    nowMs = 999
    expect((await ask('ada')).status).toBe(429)
    nowMs = 1_000
    expect([(await ask('ada')).status, (await ask('ada')).status]).toEqual([200, 429])
  })

  it('refuse requests while too many run, and let the owner do as much as is needed', async () => {
    const held = Promise.withResolvers<void>()
    const { server, options } = await open()
    await using _ = server
    const slow = options.routes.find(({ id }) => id === 'listChannels')
    if (slow === undefined) throw new Error('there is no such route')
    const waiting: GatewayRoute = {
      ...slow,
      handle: async () => {
        await held.promise
        return { status: 200, body: { channels: [] } }
      },
    }
    const { server: second, ask, limits } = await open(() => 0, [waiting])
    await using __ = second
    const running = [ask('ada'), ask('ada'), ask(TOKEN), ask(TOKEN), ask(TOKEN)]
    const refused = await ask('ada')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    expect((await ask('ben', '/api/channels/telegram')).status).toBe(200)
    held.resolve()
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect((await ask('ada')).status).toBe(200)
    const samples = limits.metrics().flatMap(({ name, samples }) => samples.map((sample) => ({ name, ...sample })))
    expect(samples).toContainEqual({ name: 'gatepost_api_refused_total', labels: { limit: 'concurrency' }, value: 1 })
    expect(samples).toContainEqual({ name: 'gatepost_api_requests_running', value: 0 })
  })

  it('refuse event streams above the cap until one has ended, and count none that has', async () => {
    const { server, ask, limits } = await open()
    await using _ = server
    const first = await ask('ada', '/api/events')
    const second = await ask('ada', '/api/events')
    const refused = await ask('ada', '/api/events')
    expect([first.status, second.status, refused.status]).toEqual([200, 200, 429])
    expect(await refused.json()).toMatchObject({ code: 'too_many_streams' })
    const other = await ask('ben', '/api/events')
    expect(other.status).toBe(200)
    await first.body?.cancel()
    const third = await ask('ada', '/api/events')
    expect(third.status).toBe(200)
    for (const stream of [second, third, other]) await stream.body?.cancel()
    expect(limits.metrics().find(({ name }) => name === 'gatepost_event_streams')?.samples).toEqual([{ value: 0 }])
  })
})

describe('the memory of the limits', () => {
  it('counts a request that ends twice once', () => {
    const limits = createAccountLimits(SETTINGS, { now: () => 0 })
    const [one] = [limits.startRequest(ADA), limits.startRequest(ADA)]
    one()
    one()
    limits.startRequest(ADA)
    expect(() => limits.startRequest(ADA)).toThrow('Too many requests')
    expect(() => limits.startRequest(BEN)).not.toThrow()
  })

  it('is not used up by a clock that goes back', () => {
    let nowMs = 1_000_000
    const limits = createAccountLimits({ ...SETTINGS, concurrentRequests: 100 }, { now: () => nowMs })
    for (let n = 0; n < 60; n++) limits.startRequest(ADA)()
    nowMs = 0
    expect(() => limits.startRequest(ADA)).toThrow('Too many requests')
    nowMs = 1_000
    expect(() => limits.startRequest(ADA)()).not.toThrow()
  })
})
