import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type ChatModelEmulator, type ChatModelFault, startChatModelEmulator } from '@gatepost/emulators'
import { manualClock } from '../testing/clock.ts'
import { type Assistant, AssistantError } from './assistant.ts'
import { createAssistant } from './create-assistant.ts'
import { type AssistantSettingsInput, DEFAULT_SYSTEM_PROMPT, resolveAssistantSettings } from './settings.ts'
import { file, keptLog, message, collectText, createTurn } from './testing.ts'

const KEY = 'sk-this-is-the-key-of-the-test'
const PNG = Buffer.from('89504e470d0a1a0a0000', 'hex')
let model: ChatModelEmulator
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'openai-'))
})
afterAll(() => rm(folder, { recursive: true }))
beforeEach(async () => {
  model = await startChatModelEmulator({ apiKey: KEY })
})
afterEach(() => model.close())

const clock = manualClock(1_800_000_000_000)
const log = keptLog()
function assistant(more: AssistantSettingsInput = {}): Assistant {
  const input = { kind: 'openai', baseUrl: model.baseUrl, apiKey: KEY, model: 'm', ...more }
  return createAssistant(resolveAssistantSettings(input), { fetch, clock, log, environment: {} })
}
const never = new AbortController().signal
const hello = createTurn([message('hello there')])
const catchFailure = (ask: Promise<unknown>): Promise<unknown> =>
  ask.then(
    (value) => expect.fail(`answered ${inspect(value)}`),
    (error: unknown) => error,
  )

it('streams an answer', async () => {
  const pieces = await Array.fromAsync(assistant().reply(hello, never))
  expect(pieces).toEqual(['You ', 'said: ', 'hello ', 'there'].map((text) => ({ type: 'text', text })))
  expect(model.requests).toMatchObject([
    {
      model: 'm',
      stream: true,
      messages: [
        { role: 'system', content: DEFAULT_SYSTEM_PROMPT },
        { role: 'user', content: 'hello there' },
      ],
    },
  ])
  expect(clock.sleeping).toBe(0)
})

it('tells the model who said what, and joins neighbours', async () => {
  const messages = [
    message('one', { from: { id: '1', name: 'Ann\nBob: "x"' } }),
    message('two', { from: { id: '2' }, quoted: 'zero\nnull' }),
    message('answer', { role: 'assistant' }),
    message('', { role: 'assistant' }),
    message('', { from: { id: '1', name: 'Ann' }, files: [file('a.pdf', { problem: 'too large' })] }),
  ]
  await collectText(assistant({ systemPrompt: '' }).reply(createTurn(messages, { chat: { kind: 'group' } }), never))
  expect(model.requests[0]?.messages).toEqual([
    { role: 'user', content: 'Ann Bob: x: one\n\n2: > zero\n> null\ntwo' },
    { role: 'assistant', content: 'answer' },
    { role: 'user', content: 'Ann: [file "a.pdf", text/plain, 5 bytes, too large; its content is not available]' },
  ])
})

it('hands over images that are images, and names the rest', async () => {
  const path = join(folder, 'cat')
  await writeFile(path, PNG)
  const fake = join(folder, 'fake.png')
  await writeFile(fake, 'not an image')
  const files = [
    file('cat.jpg', { kind: 'image', mime: 'image/jpeg', path }),
    file('fake.png', { kind: 'image', mime: 'image/png', path: fake }),
    file('gone.png', { kind: 'image', mime: 'image/png', path: join(folder, 'gone') }),
  ]
  await collectText(assistant({ systemPrompt: '' }).reply(createTurn([message('look', { files })]), never))
  expect(model.requests[0]?.messages[0]?.content).toEqual([
    {
      type: 'text',
      text: [
        '[image "cat.jpg", image/jpeg, 5 bytes; attached]',
        '[image "fake.png", image/png, 5 bytes; its content is not available]',
        '[image "gone.png", image/png, 5 bytes; its content is not available]',
        'look',
      ].join('\n'),
    },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG.toString('base64')}` } },
  ])
})

it('asks once more without images when the model refuses them', async () => {
  const path = join(folder, 'dog')
  await writeFile(path, PNG)
  const turn = createTurn([message('look', { files: [file('dog.png', { kind: 'image', mime: 'image/png', path })] })])
  model.fail({ type: 'status', status: 400, message: 'This model does not support images.' })
  expect(await collectText(assistant().reply(turn, never))).toContain('its content is not available')
  model.fail({ type: 'status', status: 400 })
  model.fail({ type: 'status', status: 400 })
  expect(await catchFailure(collectText(assistant().reply(turn, never)))).toMatchObject({ code: 'refused' })
  expect(model.requests).toHaveLength(4)
})

const failures: readonly [why: string, fault: ChatModelFault, error: Record<string, unknown>][] = [
  [
    'a wrong key',
    { type: 'status', status: 401, message: `Bad key ${KEY}.` },
    { code: 'misconfigured', message: expect.stringContaining('Bad key ****test.') },
  ],
  ['a forbidden model', { type: 'status', status: 403 }, { code: 'misconfigured' }],
  ['an unknown model', { type: 'status', status: 404 }, { code: 'misconfigured' }],
  [
    'a redirect',
    { type: 'status', status: 307, headers: { location: 'http://127.0.0.1:1/' } },
    { code: 'misconfigured', message: expect.stringContaining('redirect') },
  ],
  [
    'too many requests, in seconds',
    { type: 'status', status: 429, headers: { 'retry-after': '7' } },
    { code: 'busy', retryAfterMs: 7_000 },
  ],
  [
    'too many requests, until a date',
    { type: 'status', status: 429, headers: { 'retry-after': new Date(1_800_000_030_000).toUTCString() } },
    { code: 'busy', retryAfterMs: 30_000 },
  ],
  [
    'too many requests, without a time',
    { type: 'status', status: 429, headers: { 'retry-after': 'soon' } },
    { code: 'busy', retryAfterMs: null },
  ],
  [
    'a broken server',
    { type: 'status', status: 500, body: '<h1>oops</h1>' },
    { code: 'unreachable', message: expect.not.stringContaining('oops') },
  ],
  [
    'an overloaded server',
    { type: 'status', status: 503, headers: { 'retry-after': '99999999' } },
    { code: 'unreachable', retryAfterMs: 86_400_000 },
  ],
  [
    'a request that is too long',
    { type: 'status', status: 400, message: 'Too\nlong.' },
    { code: 'refused', message: expect.stringContaining('Too long.') },
  ],
  ['a cut connection', { type: 'refuse' }, { code: 'unreachable' }],
  [
    'a cut stream',
    { type: 'drop', after: 2 },
    { code: 'malformed', message: expect.stringContaining('lost mid-response') },
  ],
  ['a stream without an end', { type: 'unfinished', after: 2 }, { code: 'malformed' }],
  [
    'an empty answer',
    {
      type: 'bytes',
      after: 0,
      bytes: Buffer.from(
        'data: {"choices":[{"index":0,"delta":{"content":" "},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
      ),
    },
    { code: 'malformed', message: 'The reply is empty.' },
  ],
  [
    'a piece that is not JSON',
    { type: 'bytes', after: 1, bytes: Buffer.from('data: {nope\n\n') },
    { code: 'malformed' },
  ],
  [
    'a piece of another shape',
    { type: 'bytes', after: 1, bytes: Buffer.from('data: {"choices":7}\n\n') },
    { code: 'malformed' },
  ],
  [
    'bytes that are not UTF-8',
    { type: 'bytes', after: 1, bytes: Buffer.from([0xff, 0xfe, 0x0a, 0x0a]) },
    { code: 'malformed', message: "The reply isn't valid UTF-8." },
  ],
  ['a line without an end', { type: 'endless_line' }, { code: 'malformed', message: expect.stringContaining('line') }],
  ['a whole answer', { type: 'not_a_stream', mime: 'application/json' }, { code: 'malformed' }],
  ['a page', { type: 'not_a_stream', mime: 'text/html' }, { code: 'malformed' }],
  [
    'an error in the stream',
    { type: 'error', after: 1, message: `Broken ${KEY}` },
    { code: 'unreachable', message: expect.stringContaining('Broken ****test') },
  ],
  [
    'a rate limit in the stream',
    { type: 'error', after: 1, message: 'Slow', code: 'rate_limit_exceeded' },
    { code: 'busy' },
  ],
  ['a filter', { type: 'finish', reason: 'content_filter' }, { code: 'refused' }],
  ['a refusal', { type: 'refusal', text: 'I cannot.' }, { code: 'refused' }],
]
it.each(failures)('says what is wrong with %s', async (_why, fault, expected) => {
  model.fail(fault)
  const error = await catchFailure(collectText(assistant().reply(hello, never)))
  expect(error).toBeInstanceOf(AssistantError)
  expect(error).toMatchObject(expected)
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(KEY)
  expect(model.requests).toHaveLength(1)
  expect(clock.sleeping).toBe(0)
  await model.idle()
})

it('says what is wrong when nobody listens', async () => {
  const { baseUrl } = model
  await model.close()
  const error = await catchFailure(collectText(assistant({ baseUrl }).reply(hello, never)))
  expect(error).toMatchObject({ code: 'unreachable', message: expect.stringContaining('ECONNREFUSED') })
  model = await startChatModelEmulator()
})

it('notes where the model itself was cut', async () => {
  model.fail({ type: 'finish', reason: 'length' })
  expect(await collectText(assistant().reply(hello, never))).toBe(
    'You said: hello there\n\n_(The model reached its output limit.)_',
  )
})

it('cuts an answer that never ends, and hangs up', async () => {
  model.fail({ type: 'endless', piece: 'abcdefghij' })
  const answer = await collectText(assistant({ maxAnswerCharacters: 100 }).reply(hello, never))
  expect(answer).toMatch(/^(abcdefghij){10}\n\n_\(Reply cut off/)
  await model.idle()
})

const timeouts: readonly [why: string, fault: ChatModelFault, ms: number, message: RegExp][] = [
  ['nothing comes', { type: 'hang' }, 120_000, /No reply started within 120 s/],
  ['the stream stalls', { type: 'stall', after: 2 }, 60_000, /sent nothing for 60 s/],
]
it.each(timeouts)('gives up when %s', async (_why, fault, ms, message) => {
  model.fail(fault)
  const pieces = assistant().reply(hello, never)[Symbol.asyncIterator]()
  for (let seen = 0; fault.type === 'stall' && seen < fault.after; seen++) await pieces.next()
  const failure = catchFailure(pieces.next())
  await model.received(1)
  await clock.advance(ms)
  expect(await failure).toMatchObject({ code: 'timeout', message: expect.stringMatching(message) })
  expect(clock.sleeping).toBe(0)
  await model.idle()
})

it.each(['hang', 'stall'] as const)('ends at once when aborted during a %s', async (type) => {
  model.fail(type === 'hang' ? { type } : { type, after: 1 })
  const aborter = new AbortController()
  const failure = catchFailure(collectText(assistant().reply(hello, aborter.signal)))
  await model.received(1)
  const reason = new Error('shutting down')
  aborter.abort(reason)
  expect(await failure).toBe(reason)
  expect(clock.sleeping).toBe(0)
  await model.idle()
})

it('hangs up when the caller loses interest', async () => {
  model.fail({ type: 'endless', piece: 'x' })
  for await (const piece of assistant().reply(hello, never)) {
    expect(piece).toEqual({ type: 'text', text: 'x' })
    break
  }
  expect(clock.sleeping).toBe(0)
  await model.idle()
})
