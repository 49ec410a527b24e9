import { expect, it } from 'vitest'
import { connectControl } from '../kit/control.ts'
import { manualClock } from '../kit/testing-clock.ts'
import { openBench } from './testing-app.ts'
import type { FeishuFault } from './faults.ts'

const SEND = '/im/v1/messages?receive_id_type=open_id'
const TEXT = { receive_id: 'ou_ann', msg_type: 'text', content: '{"text":"x"}' }
const method = 'im.v1.messages.create'

const answers: readonly [fault: FeishuFault, status: number, body: Readonly<Record<string, unknown>>][] = [
  [{ kind: 'error', code: 230020 }, 400, { code: 230020, msg: 'This operation triggers the frequency limit.' }],
  [{ kind: 'error', code: 230013, status: 200, message: 'odd' }, 200, { code: 230013, msg: 'odd' }],
  [{ kind: 'rate_limited', resetSeconds: 7 }, 429, { code: 99991400, msg: 'request trigger frequency limit' }],
  [{ kind: 'token_expired' }, 400, { code: 99991663 }],
  [{ kind: 'scope', scope: 'im:message', granted: true }, 200, { code: 0 }],
]
it.each(answers)('%j answers %i, and the next call passes', async (fault, status, body) => {
  await using bench = await openBench()
  await bench.control.injectFault({ method, ...fault })
  const answer = await bench.call('POST', SEND, TEXT)
  expect(answer).toMatchObject({ status, body })
  expect(answer.headers.get('x-ogw-ratelimit-reset')).toBe(status === 429 ? '7' : null)
  expect(await bench.control.sent()).toHaveLength(body['code'] === 0 ? 1 : 0)
  expect(await bench.call('POST', SEND, TEXT)).toMatchObject({ status: 200, body: { code: 0 } })
})

const lost: readonly [fault: FeishuFault, shown: number][] = [
  [{ kind: 'drop_before' }, 0],
  [{ kind: 'drop_after' }, 1],
]
it.each(lost)('%j closes the connection with %i messages shown', async (fault, shown) => {
  await using bench = await openBench()
  await bench.control.injectFault({ method, ...fault })
  await expect(bench.send('ou_ann', 'x')).rejects.toThrow()
  expect(await bench.control.sent()).toHaveLength(shown)
  expect((await bench.control.requests({ method })).map(({ status }) => status)).toEqual([0])
})

it('meets a send in either form', async () => {
  await using bench = await openBench()
  const said = await bench.control.say({ from: { id: 'ann' }, text: 'hello' })
  const send = { kind: 'error', code: 230020, method: 'im.v1.messages.send' } as const
  await bench.control.injectFault(send)
  expect((await bench.call('POST', `/im/v1/messages/${said.messageId}/reply`, TEXT)).body).toMatchObject({
    code: 230020,
  })
  await bench.control.injectFault(send)
  expect((await bench.call('GET', `/im/v1/messages/${said.messageId}`)).body).toMatchObject({ code: 0 })
  expect((await bench.call('POST', SEND, TEXT)).body).toMatchObject({ code: 230020 })
})

it('answers a page of a proxy', async () => {
  await using bench = await openBench()
  await bench.control.injectFault({ method, kind: 'bad_gateway' })
  const headers = { authorization: `Bearer ${await bench.token()}`, 'content-type': 'application/json' }
  const response = await fetch(`${bench.url}/open-apis${SEND}`, { method: 'POST', headers, body: JSON.stringify(TEXT) })
  expect(response.status).toBe(502)
  expect(await response.text()).toContain('<h1>502 Bad Gateway</h1>')
  expect(await bench.control.sent()).toEqual([])
})

it.each(['oc_p2p_milo', 'milo'])('keeps to one chat when the fault says so: %s', async (chat) => {
  await using bench = await openBench()
  await bench.control.say({ from: { id: 'milo' }, text: 'hello' })
  await bench.control.injectFault({ kind: 'error', code: 230013, chatId: chat, times: null })
  await bench.send('ou_ann', 'x')
  await expect(bench.send('ou_milo', 'x')).rejects.toThrow('230013')
})

it('leaves faults of frames alone when calls come, and the other way round', async () => {
  await using bench = await openBench()
  await bench.control.injectFault({ kind: 'withhold_pong' })
  await bench.control.injectFault({ kind: 'oauth_error', error: 'slow_down', method: '*' })
  await bench.send('ou_ann', 'x')
  expect(await bench.control.faults()).toHaveLength(2)
})

const impossible: readonly [why: string, fault: Readonly<Record<string, unknown>>, words: string][] = [
  ['an unknown kind', { kind: 'earthquake' }, 'Unknown fault: earthquake'],
  ['one that every object has', { kind: 'constructor' }, 'Unknown fault: constructor'],
  ['one part', { kind: 'fragment', parts: 1 }, 'parts must be an integer from 2'],
  ['no code', { kind: 'error' }, 'code must be an integer'],
  ['a status of success', { kind: 'server_error', status: 200 }, 'status must be an integer from 500'],
  ['no times', { kind: 'drop_before', times: 0 }, 'times must be an integer of at least 1'],
]
it.each(impossible)('refuses a fault with %s', async (_why, fault, words) => {
  await using bench = await openBench()
  const response = await fetch(`${bench.url}/control/injectFault`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fault),
  })
  expect(response.status).toBe(400)
  expect(await response.text()).toContain(words)
  expect(await bench.control.faults()).toEqual([])
})

const denied: readonly [why: string, headers: Readonly<Record<string, string>>, code: number][] = [
  ['no token', {}, 99991661],
  ['another scheme', { authorization: 'Basic x' }, 99991661],
  ['a made-up token', { authorization: 'Bearer t-made-up' }, 99991663],
]
it.each(denied)('refuses a call with %s', async (_why, headers, code) => {
  await using bench = await openBench()
  expect(await bench.post(`/open-apis${SEND}`, TEXT, headers)).toMatchObject({ status: 400, body: { code } })
})

const rejected: readonly [why: string, body: Readonly<Record<string, unknown>>, code: number][] = [
  ['an unknown app', { app_id: 'cli_0000000000000000' }, 10003],
  ['a wrong secret', { app_secret: 'wrong' }, 10014],
  ['no secret', { app_secret: null }, 10014],
]
it.each(rejected)('gives no token for %s, with status 200', async (_why, body, code) => {
  await using bench = await openBench()
  const asked = { app_id: bench.appId, app_secret: bench.secret, ...body }
  const answer = await bench.post('/open-apis/auth/v3/tenant_access_token/internal', asked)
  expect(answer).toMatchObject({ status: 200, body: { code } })
  expect(answer.body).not.toHaveProperty('tenant_access_token')
})

it('gives the same token until half an hour before its end, then another, and both hold', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const first = await bench.token()
  await clock.advance(5_400_000)
  expect(await bench.token()).toBe(first)
  await clock.advance(1)
  const second = await bench.token()
  expect(second).not.toBe(first)
  const info = async (token: string): Promise<unknown> =>
    (await fetch(`${bench.url}/open-apis/bot/v3/info`, { headers: { authorization: `Bearer ${token}` } })).json()
  expect(await info(first)).toMatchObject({ code: 0, bot: { activate_status: 2, open_id: 'ou_bot_gatepost' } })
  expect(await info(second)).toMatchObject({ code: 0 })
  await clock.advance(1_800_000)
  expect(await info(first)).toMatchObject({ code: 99991663 })
  expect(await info(second)).toMatchObject({ code: 0 })
})

it('tells which scopes are granted, and names those that a call lacks', async () => {
  await using bench = await openBench()
  await bench.control.injectFault({ kind: 'scope', scope: 'cardkit:card:write', granted: false })
  const { body } = await bench.call('GET', '/application/v6/scopes')
  expect(body).toMatchObject({
    data: {
      scopes: expect.arrayContaining([
        { scope_name: 'cardkit:card:write', grant_status: 2, scope_type: 'tenant' },
        { scope_name: 'im:resource', grant_status: 1, scope_type: 'tenant' },
      ]),
    },
  })
  expect(await bench.call('POST', '/cardkit/v1/cards', {})).toMatchObject({
    status: 400,
    body: { code: 99991672, msg: expect.stringContaining('[cardkit:card:write]') },
  })
})

it('says that the bot is not in use', async () => {
  await using bench = await openBench()
  await bench.control.injectFault({ kind: 'activate_status', status: 1 })
  expect((await bench.call('GET', '/bot/v3/info')).body).toMatchObject({ bot: { activate_status: 1 } })
})

it('has every switch of the page in both forms, and takes it back', async () => {
  await using bench = await openBench()
  const control = connectControl<FeishuFault>(bench.url)
  for (const { fault } of await control.switches()) await control.clearFaults(await control.injectFault(fault))
  expect(await control.faults()).toEqual([])
  expect(await control.bot()).toMatchObject({
    credentials: { app_id: bench.appId, app_secret: bench.secret, domain: bench.url },
  })
})

it('answers unknown paths as a server that has none', async () => {
  await using bench = await openBench()
  expect((await fetch(`${bench.url}/open-apis/none`)).status).toBe(404)
})
