import { expect, it, vi } from 'vitest'
import { isRecord } from '../kit/http.ts'
import { type Bench, openBench } from './testing-app.ts'
import { openSdk, type SdkBench } from './testing-sdk.ts'

// What the adapter is built around: a change of any of these in the library must be noticed.

const FAST = {
  client: { PingInterval: 1, ReconnectInterval: 1, ReconnectNonce: 0 },
  redeliverMs: [100, 100, 100, 100],
} as const
const ANN = { id: 'ou_ann', name: 'Ann' }

const until = (isSo: () => unknown): Promise<unknown> => vi.waitUntil(isSo, { timeout: 100_000, interval: 10 })
const countRequests = async (bench: Bench, method: string): Promise<number> =>
  (await bench.control.requests({ method })).length
const sending = (to = 'ou_ann') => ({
  params: { receive_id_type: 'open_id' as const },
  data: { receive_id: to, msg_type: 'text', content: '{"text":"a private word"}' },
})
const QUIET = { error: vi.fn(), warn: vi.fn(), info: vi.fn(), debug: vi.fn(), trace: vi.fn() }

/** Lets the library's waits of minutes pass at once. */
function fakeWaits(): Disposable & { skipUntil(isSo: () => unknown): Promise<unknown> } {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  return {
    skipUntil: (isSo) =>
      until(async () => {
        vi.advanceTimersByTime(150_000)
        return await isSo()
      }),
    [Symbol.dispose]: () => void vi.useRealTimers(),
  }
}

/** What a call of the library ends in. */
const outcome = async (call: Promise<unknown>): Promise<Readonly<Record<string, unknown>>> => {
  try {
    return { resolved: await call }
  } catch (error) {
    const response = isRecord(error) ? error['response'] : undefined
    return {
      rejected: isRecord(response) ? response['data'] : error,
      status: isRecord(response) ? response['status'] : 0,
    }
  }
}
const connected = async (sdk: SdkBench, handle?: (event: unknown) => Promise<void>): Promise<void> => {
  await sdk.start(handle)
  await until(() => sdk.states.includes('ready'))
}

it('works against plain http: discovery, a socket, an event, an acknowledgement', async () => {
  await using bench = await openBench(FAST)
  await using sdk = await openSdk(bench)
  await connected(sdk)
  expect(await bench.control.bot()).toMatchObject({ connected: true })
  const { messageId, chatId } = await bench.control.say({ from: ANN, text: 'hello' })
  await until(async () => (await bench.control.events())[0]?.confirmedAtMs)
  expect(await bench.control.events()).toMatchObject([{ messageId, deliveries: 1 }])
  expect(sdk.received).toMatchObject([
    {
      event_type: 'im.message.receive_v1',
      sender: { sender_id: { open_id: 'ou_ann' }, sender_type: 'user' },
      message: { message_id: messageId, chat_id: chatId, chat_type: 'p2p', content: '{"text":"hello"}' },
    },
  ])
  const [ack] = await bench.control.requests({ method: 'ack' })
  expect(ack).toMatchObject({ body: '{"code":200}', headers: { type: 'event', biz_rt: expect.any(String) } })
})

it('works against plain http: token, send, reply, edit, upload, download', async () => {
  await using bench = await openBench()
  const { client } = await openSdk(bench)
  const sent = await client.im.v1.message.create(sending())
  const message_id = sent.data?.message_id ?? ''
  await client.im.v1.message.update({ path: { message_id }, data: { msg_type: 'text', content: '{"text":"two"}' } })
  const { image_key = '' } =
    (await client.im.v1.image.create({ data: { image_type: 'message', image: Buffer.from('png') } })) ?? {}
  await client.im.v1.message.reply({
    path: { message_id },
    data: { msg_type: 'image', content: JSON.stringify({ image_key }) },
  })
  const shown = await bench.control.sent()
  expect(shown).toMatchObject([
    { text: 'two', edits: 1, replyTo: null },
    { replyTo: message_id, files: [{ size: 3, base64: Buffer.from('png').toString('base64') }] },
  ])
  const file = await client.im.v1.messageResource.get({
    path: { message_id: shown[1]?.messageId ?? '', file_key: image_key },
    params: { type: 'image' },
  })
  const chunks = await Array.fromAsync(file.getReadableStream())
  expect(Buffer.concat(chunks.map((chunk) => Buffer.from(String(chunk)))).toString()).toBe('png')
})

it('start() only logs when the app id has another form: no request, no error', async () => {
  await using bench = await openBench()
  await using sdk = await openSdk(bench, { appId: 'cli_short' })
  await sdk.start()
  expect(sdk.log.filter((line) => line.includes('invalid appId'))).toHaveLength(1)
  expect(sdk.states).toEqual([])
  expect(await bench.control.requests()).toEqual([])
})

it('takes a discovery answer without `data` for a passing fault, and tries on in silence', async () => {
  await using bench = await openBench()
  await using sdk = await openSdk(bench, { secret: 'wrong' })
  using waits = fakeWaits()
  await sdk.start()
  await until(async () => (await countRequests(bench, 'ws.endpoint')) === 1)
  await waits.skipUntil(async () => (await countRequests(bench, 'ws.endpoint')) === 4)
  expect(sdk.states).toEqual([])
  expect(sdk.socket.getConnectionStatus().state).toBe('connecting')
})

it('gives up at a discovery answer with `data` and a code', async () => {
  await using bench = await openBench()
  await using sdk = await openSdk(bench)
  await bench.control.injectFault({ kind: 'error', method: 'ws.endpoint', code: 514, withData: true })
  await sdk.start()
  await until(() => sdk.states.length > 0)
  expect(sdk.states).toEqual(['error pullConnectConfig failed: code=514, msg=auth failed'])
  expect(sdk.socket.getConnectionStatus().state).toBe('failed')
  expect(await countRequests(bench, 'ws.endpoint')).toBe(1)
})

it('gives up at code 1, "system busy", as well', async () => {
  await using bench = await openBench()
  await using sdk = await openSdk(bench)
  await bench.control.injectFault({ kind: 'error', method: 'ws.endpoint', code: 1, withData: true })
  await sdk.start()
  await until(() => sdk.states.length > 0)
  expect(sdk.states).toEqual(['error pullConnectConfig failed: code=1, msg=system busy'])
})

it('tries again at code 1000040343', async () => {
  await using bench = await openBench()
  await using sdk = await openSdk(bench)
  await bench.control.injectFault({ kind: 'error', method: 'ws.endpoint', code: 1000040343, withData: true, times: 2 })
  using waits = fakeWaits()
  await sdk.start()
  await waits.skipUntil(() => sdk.states.includes('ready'))
  // more, when a wait was skipped before its answer had come
  expect(await countRequests(bench, 'ws.endpoint')).toBeGreaterThanOrEqual(3)
  expect(sdk.states).toEqual(['ready'])
})

it('pings without pause once a pong lacked a value', async () => {
  await using bench = await openBench(FAST)
  await using sdk = await openSdk(bench)
  await bench.control.injectFault({ kind: 'incomplete_pong', missing: 'PingInterval', times: null })
  await connected(sdk)
  // at one ping a second this would take two minutes
  await until(async () => (await countRequests(bench, 'ping')) > 120)
  expect(sdk.socket.getConnectionStatus().state).toBe('connected')
})

it('drops frames of another type without an acknowledgement', async () => {
  await using bench = await openBench(FAST)
  await using sdk = await openSdk(bench)
  await connected(sdk)
  await bench.control.injectFault({ kind: 'frame_type', type: 'card' })
  await bench.control.say({ from: ANN, text: 'hello' })
  await until(async () => (await bench.control.events())[0]?.confirmedAtMs)
  expect(await bench.control.events()).toMatchObject([{ deliveries: 2 }])
  expect(await countRequests(bench, 'ack')).toBe(1)
  expect(sdk.received).toHaveLength(1)
})

it('acknowledges only when the handler has ended, with 500 when it failed', async () => {
  await using bench = await openBench(FAST)
  await using sdk = await openSdk(bench)
  let calls = 0
  await connected(sdk, async () => {
    expect(await countRequests(bench, 'ack')).toBe(calls)
    calls += 1
    if (calls === 1) throw new Error('not stored')
  })
  await bench.control.say({ from: ANN, text: 'hello' })
  await until(async () => (await bench.control.events())[0]?.confirmedAtMs)
  expect((await bench.control.requests({ method: 'ack' })).map(({ body }) => body)).toEqual([
    '{"code":500}',
    '{"code":200}',
  ])
})

it('puts fragments together', async () => {
  await using bench = await openBench(FAST)
  await using sdk = await openSdk(bench)
  await connected(sdk)
  await bench.control.injectFault({ kind: 'fragment', parts: 5 })
  await bench.control.say({ from: ANN, text: 'h€llo '.repeat(100) })
  await until(async () => (await bench.control.events())[0]?.confirmedAtMs)
  expect(sdk.received).toMatchObject([{ message: { content: JSON.stringify({ text: 'h€llo '.repeat(100) }) } }])
})

it('connects again after a dropped socket, with a new address', async () => {
  await using bench = await openBench(FAST)
  await using sdk = await openSdk(bench)
  await connected(sdk)
  await bench.control.dropConnections()
  await until(() => sdk.states.includes('reconnected'))
  const opened = (await bench.control.requests({ method: 'open' })).map(({ target }) => target)
  expect(new Set(opened).size).toBe(2)
})

it('finds out by itself that a socket is half open only with `pingTimeout`', async () => {
  await using bench = await openBench(FAST)
  await using plainContent = await openSdk(bench)
  await using watching = await openSdk(bench, { pingTimeoutSeconds: 0.3 })
  await connected(plainContent)
  await connected(watching)
  await bench.control.injectFault({ kind: 'withhold_pong', times: null })
  await until(() => watching.states.includes('reconnecting'))
  expect(plainContent.states).toEqual(['ready'])
})

it('rejects at HTTP 4xx and resolves at HTTP 200 with a code; retries neither', async () => {
  await using bench = await openBench()
  const { client } = await openSdk(bench)
  const method = 'im.v1.messages.create'
  const send = () => outcome(client.im.v1.message.create(sending()))
  await bench.control.injectFault({ kind: 'rate_limited', resetSeconds: 7, method })
  expect(await send()).toMatchObject({ status: 429, rejected: { code: 99991400 } })
  await bench.control.injectFault({ kind: 'error', code: 230013, status: 200, method })
  expect(await send()).toMatchObject({ resolved: { code: 230013 } })
  await bench.control.injectFault({ kind: 'token_expired', method })
  expect(await send()).toMatchObject({ status: 400, rejected: { code: 99991663 } })
  expect(await countRequests(bench, method)).toBe(3)
  // nor does it ask for a new token: the old one comes again
  expect(await send()).toMatchObject({ status: 400, rejected: { code: 99991663 } })
  expect(await countRequests(bench, 'auth.v3.tenant_access_token')).toBe(1)
})

it('raises a rejected secret as an error with the code in its words alone, before the call', async () => {
  await using bench = await openBench()
  const { client } = await openSdk(bench, { secret: 'wrong' })
  const { rejected } = await outcome(client.im.v1.message.create(sending()))
  expect(rejected).toEqual(new Error('failed to get tenant_access_token, code: 10014, msg: app secret invalid'))
  expect(await countRequests(bench, 'im.v1.messages.create')).toBe(0)
})

it('shares tokens between clients of one app unless they bring a cache', async () => {
  await using bench = await openBench()
  const sdk = await import('@larksuiteoapi/node-sdk')
  const common = { appId: bench.appId, appSecret: bench.secret, domain: bench.url, logger: QUIET }
  for (const cache of [undefined, undefined, new sdk.DefaultCache()]) {
    await new sdk.Client({ ...common, ...(cache && { cache }) }).im.v1.message.create(sending())
  }
  expect(await countRequests(bench, 'auth.v3.tenant_access_token')).toBe(2)
  await sdk.internalCache.set(sdk.CTenantAccessToken, '', 1, { namespace: bench.appId })
})

it('writes what was said into its log, but neither token nor secret', async () => {
  await using bench = await openBench()
  const { client, log } = await openSdk(bench)
  await bench.control.injectFault({ kind: 'error', code: 230020, method: 'im.v1.messages.create' })
  await outcome(client.im.v1.message.create(sending()))
  const all = JSON.stringify(log)
  expect(all).toContain('a private word')
  expect(all).not.toContain(bench.secret)
  expect(all).not.toContain(await bench.token())
})

it('registers apps over https only', async () => {
  await using bench = await openBench()
  const { registerApp, defaultHttpInstance } = await import('@larksuiteoapi/node-sdk')
  const asked: string[] = []
  const spy = vi.spyOn(defaultHttpInstance, 'post').mockImplementation(async (url: string) => {
    asked.push(url)
    throw new Error('stopped')
  })
  await registerApp({ domain: bench.url, onQRCodeReady: () => undefined }).catch(() => null)
  spy.mockRestore()
  expect(asked).toEqual([expect.stringMatching(/^https:\/\//)])
})
