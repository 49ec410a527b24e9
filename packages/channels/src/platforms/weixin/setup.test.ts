import { expect, it, onTestFinished } from 'vitest'
import type { Clock, PlatformIo } from '../../platform-io.ts'
import { type Person, personAt, type PersonOptions } from '../../setup/testing.ts'
import { object, parseJson } from '../wire/json.ts'
import { held, never, testIo, toUrlText } from '../wire/testing.ts'
import { parseTrustedBase, parseTrustedHost, weixinSetups } from './setup.ts'
import { startWeixinWorld, type WeixinWorld } from './weixin.contract.ts'

type ScanAct = Parameters<WeixinWorld['control']['scan']>[0]

const [guide] = weixinSetups

/** Pauses between questions pass at once; nothing else ever ends by its time. */
function hastyClock(): Clock {
  let nowMs = Date.now()
  return {
    now: () => nowMs,
    async sleep(ms, signal) {
      if (ms > 1_000) return new Promise((resolve) => signal?.addEventListener('abort', () => resolve()))
      await new Promise((resolve) => setImmediate(resolve))
      nowMs += ms
    },
  }
}

async function setUp(
  io: PlatformIo,
  options: PersonOptions = {},
  signal = never,
): Promise<Person & { readonly error: unknown }> {
  const person = personAt(io, options)
  return { ...person, error: await person.follow(guide, signal) }
}

async function open(): Promise<{ world: WeixinWorld; io: PlatformIo }> {
  const world = await startWeixinWorld({ holdMs: 5 })
  onTestFinished(() => world.close())
  return { world, io: { ...testIo({ host: world.host }), clock: hastyClock() } }
}

/** Does these things with the phone, one after the other, when the first code is shown. */
const doing = (world: WeixinWorld, ...acts: readonly ScanAct[]): PersonOptions => ({
  see: async (_step, at) => {
    if (at === 1) for (const act of acts) await world.control.scan(act)
  },
})

it('saves the log-in of whoever scans and confirms, who becomes the first user', async () => {
  const { world, io } = await open()
  const { steps, saved, error } = await setUp(io, doing(world, { act: 'confirm', userId: 'carol@im.wechat' }))
  expect(error).toBeUndefined()
  expect(steps.map(({ state }) => state)).toEqual(['waiting', 'scanned'])
  expect(steps[0]).toMatchObject({ scannable: true, url: expect.stringContaining('/q/') as unknown })
  expect(saved).toEqual([
    {
      fields: {
        token: (await world.control.bot()).credentials['token'],
        ilink_bot_id: expect.stringMatching(/@im\.bot$/) as unknown,
        ilink_user_id: 'carol@im.wechat',
      },
      firstUser: { id: 'carol@im.wechat' },
    },
  ])
})

it('asks on at the place that it is sent to, and keeps it', async () => {
  const { world, io } = await open()
  const { saved, error } = await setUp(io, doing(world, { act: 'redirect' }, { act: 'confirm' }))
  expect(error).toBeUndefined()
  expect(saved[0]?.fields).toMatchObject({ base_url: world.emulator.secondUrl })
})

it('shows a new code when one expires, three times', async () => {
  const { world, io } = await open()
  const expire: PersonOptions = { see: () => world.control.scan({ act: 'expire' }) }
  const { steps, error } = await setUp(io, expire)
  expect(error).toMatchObject({ name: 'SetupFailure', code: 'expired' })
  expect(new Set(steps.map(({ url }) => url)).size).toBe(4)
})

it('can still be confirmed with the last new code', async () => {
  const { world, io } = await open()
  const patient: PersonOptions = {
    see: ({ state }, at) =>
      state === 'waiting' ? world.control.scan({ act: at < 4 ? 'expire' : 'confirm' }) : undefined,
  }
  expect((await setUp(io, patient)).saved.length).toBe(1)
})

it('asks for the number on the phone, and again when it was wrong or no number', async () => {
  const { world, io } = await open()
  const typed = ['abc', '11', ' 4 2 ']
  const { questions, saved, error } = await setUp(io, {
    ...doing(world, { act: 'ask_code', code: '42' }, { act: 'confirm' }),
    answer: (_question, count) => ({ verify_code: typed[count - 1] ?? '' }),
  })
  expect(error).toBeUndefined()
  const asked = (await world.control.requests({ method: 'get_qrcode_status' })).map(({ target }) => target)
  const brought = asked.flatMap((target) => /verify_code=(\w+)/.exec(target)?.[1] ?? [])
  expect(brought).toEqual(['11', '42'])
  expect(questions.map(({ message }) => message)).toEqual([
    'Enter the number on your phone.',
    'The number has digits only. Enter the one on your phone.',
    'Wrong number. Enter the one on your phone.',
  ])
  expect(questions[0]?.fields).toEqual([{ name: 'verify_code', label: 'the number on your phone', secret: false }])
  expect(saved.length).toBe(1)
})

it.each<[what: string, act: ScanAct, code: string]>([
  ['too many wrong numbers', { act: 'ask_code', code: '42' }, 'code_blocked'],
  ['an account that is connected already', { act: 'already_bound' }, 'already_bound'],
  ['a confirmation that is too fast to be one', { act: 'stale' }, 'stale_session'],
])('ends with %s, saving nothing', async (_what, act, code) => {
  const { world, io } = await open()
  const { saved, error } = await setUp(io, { ...doing(world, act), answer: () => ({ verify_code: '11' }) })
  expect(error).toMatchObject({ name: 'SetupFailure', code })
  expect(saved).toEqual([])
})

it('names the log-in that is stored, so that Weixin can tell that the account is the same', async () => {
  const { world, io } = await open()
  const { token } = world.credentials
  await setUp(io, { ...doing(world, { act: 'already_bound' }), stored: { token } })
  await setUp(io, { ...doing(world, { act: 'already_bound' }), stored: { token: 7 } })
  await setUp(io, { ...doing(world, { act: 'confirm' }), stored: { token }, isRejected: true })
  const asked = await world.control.requests({ method: 'get_bot_qrcode' })
  expect(asked.map(({ body }) => object(parseJson(body))?.['local_token_list'])).toEqual([[token], [], []])
  expect(asked.map(({ headers }) => headers['authorization'])).toEqual([undefined, undefined, undefined])
})

it('waits on when a question stays without an answer', async () => {
  const { world, io } = await open()
  for (const kind of ['bad_gateway', 'drop_before'] as const)
    await world.control.injectFault({ kind, method: 'get_qrcode_status', times: 2 })
  const { saved, error } = await setUp(io, doing(world, { act: 'confirm' }))
  expect(error).toBeUndefined()
  expect(saved.length).toBe(1)
})

it('gives up when no code can be had, and when nobody ever says what became of it', async () => {
  const { world, io } = await open()
  await world.control.injectFault({ kind: 'bad_gateway', method: 'get_bot_qrcode' })
  expect((await setUp(io)).error).toMatchObject({
    code: 'unreachable',
    message: expect.stringContaining('HTTP 502') as unknown,
  })
  await world.control.injectFault({ kind: 'bad_gateway', method: 'get_qrcode_status', times: null })
  expect((await setUp(io)).error).toMatchObject({ code: 'unreachable' })
})

it('ends when nobody waits any more', async () => {
  const { io } = await open()
  const aborter = new AbortController()
  const { error, saved } = await setUp(io, { see: () => aborter.abort() }, aborter.signal)
  expect(error).toMatchObject({ name: 'AbortError' })
  expect(saved).toEqual([])
})

/** A platform that answers so. */
const scripted = (code: object, statuses: readonly object[]): PlatformIo => {
  const left = [...statuses]
  const fetch: PlatformIo['fetch'] = async (input, init) => {
    if (toUrlText(input).includes('get_bot_qrcode')) return Response.json(code)
    return left.length === 0 ? held(init?.signal) : Response.json(left.shift())
  }
  return { ...testIo({ fetch }), clock: hastyClock() }
}
const GRANTED = { status: 'confirmed', bot_token: 'a-token-1', ilink_bot_id: 'b1@im.bot' }

it.each([
  ['a URL that is none', { qrcode: 'a b', qrcode_img_content: 'javascript:alert(1)' }],
  ['no URL', { qrcode: 'a b' }],
])('shows the usual address of a code that comes with %s', async (_what, code) => {
  const { steps } = await setUp(scripted(code, [{ status: 'binded_redirect' }]))
  expect(steps[0]?.url).toBe('https://liteapp.weixin.qq.com/q/a%20b')
})

it.each([
  ['the place of the bot', [{ status: 'scaned' }, { ...GRANTED, baseurl: 'http://10.0.0.1' }]],
  ['the place to ask on', [{ status: 'scaned_but_redirect', redirect_host: '169.254.169.254' }]],
])('sends no token into this network: %s', async (_what, statuses) => {
  const { saved, error } = await setUp(scripted({ qrcode: 'a' }, statuses))
  expect(error).toMatchObject({
    code: 'unreachable',
    message: expect.stringContaining('an untrusted server') as unknown,
  })
  expect(saved).toEqual([])
})

it('saves what is known of a bot in its stored form, and leaves out what cannot be stored', async () => {
  const granted = { ...GRANTED, baseurl: 'https://b.weixin.qq.com/', ilink_user_id: 'with blank' }
  const { saved } = await setUp(scripted({ qrcode: 'a' }, [{ status: 'scaned' }, granted]))
  expect(saved).toEqual([
    {
      fields: { token: 'a-token-1', base_url: 'https://b.weixin.qq.com', ilink_bot_id: 'b1@im.bot' },
      firstUser: { id: 'with blank' },
    },
  ])
})

const REAL = 'https://ilinkai.weixin.qq.com'
const LOCAL = 'http://127.0.0.1:4100'

it.each([
  [`${REAL}/`, REAL, REAL],
  ['https://b.weixin.qq.com/base/', REAL, 'https://b.weixin.qq.com/base'],
  ['https://10.1.2.3/', REAL, null],
  ['not a url', REAL, null],
])('takes %j for a base, when %s is configured: %j', (given, configured, base) => {
  expect(parseTrustedBase(given, configured)).toBe(base)
})

it.each([
  ['b.weixin.qq.com', REAL, 'https://b.weixin.qq.com'],
  ['b.weixin.qq.com:8443', REAL, 'https://b.weixin.qq.com:8443'],
  ['127.0.0.1:9', LOCAL, 'http://127.0.0.1:9'],
  ['127.0.0.1:9', REAL, null],
  ['b.weixin.qq.com/path', REAL, null],
  ['user@b.weixin.qq.com', REAL, null],
  ['', REAL, null],
])('goes on at %j, when %s is configured: %j', (host, configured, base) => {
  expect(parseTrustedHost(host, configured)).toBe(base)
})

it.each([
  ['https://ilinkai.weixin.qq.com', 'https://liteapp.weixin.qq.com/q/1', true],
  ['https://ilinkai.weixin.qq.com', 'http://liteapp.weixin.qq.com/q/1', false],
  ['https://ilinkai.weixin.qq.com', 'https://liteapp.weixin.qq.com.evil.example/q/1', false],
  ['https://ilinkai.weixin.qq.com', 'https://evil.example/liteapp.weixin.qq.com', false],
  ['https://ilinkai.weixin.qq.com', 'http://127.0.0.1:9700/q/1', false],
  ['http://127.0.0.1:9700', 'http://127.0.0.1:9701/q/1', true],
  ['http://127.0.0.1:9700', 'https://liteapp.weixin.qq.com/q/1', true],
  ['http://127.0.0.1:9700', 'https://evil.example/q/1', false],
  ['https://weixin.example.org', 'https://weixin.example.org/q/1', true],
])('with %s as the server, knows whether %s is one of its codes', (server, url, isCode) => {
  expect(guide?.isCodeUrl?.(url, { host: () => server })).toBe(isCode)
})
