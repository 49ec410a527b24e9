import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { manualClock } from '../testing/clock.ts'
import { type Assistant, AssistantError } from './assistant.ts'
import { createAssistant } from './create-assistant.ts'
import { resolveAssistantSettings } from './settings.ts'
import { file, keptLog, message, collectText, createTurn } from './testing.ts'

const KEY = 'bearer-of-the-http-test'
let server: Server
let assistant: Assistant
let answer: (response: ServerResponse, request: IncomingMessage) => void
let bodies: { readonly headers: IncomingMessage['headers']; readonly body: unknown }[]
let folder: string

beforeEach(async () => {
  bodies = []
  folder = await mkdtemp(join(tmpdir(), 'http-'))
  server = createServer((request, response) => {
    void Array.fromAsync(request, (chunk: Buffer) => chunk).then((chunks) => {
      bodies.push({ headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) })
      answer(response, request)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const settings = resolveAssistantSettings({ kind: 'http', url: `http://127.0.0.1:${port}/reply?v=1`, apiKey: KEY })
  assistant = createAssistant(settings, { fetch, clock, log: keptLog(), environment: {} })
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true })
})

const clock = manualClock(0)
const never = new AbortController().signal
const hello = createTurn([message('hello')])
const catchFailure = (ask: Promise<unknown>): Promise<unknown> =>
  ask.then(
    (value) => expect.fail(`answered ${inspect(value)}`),
    (error: unknown) => error,
  )
/** Sends these chunks, each for itself, and then ends. */
const sending =
  (type: string, ...chunks: readonly (string | Uint8Array)[]) =>
  (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': type })
    for (const chunk of chunks) response.write(chunk)
    response.end()
  }

it('posts the turn with what there is of its files', async () => {
  const path = join(folder, 'a.txt')
  await writeFile(path, 'hällo')
  const large = join(folder, 'large')
  await writeFile(large, Buffer.alloc(10 * 1024 * 1024 + 1))
  answer = sending('application/json; charset=utf-8', '{"text":"**hi**"}')
  const messages = [
    message('old', { files: [file('old.txt', { path })] }),
    message('answer', { role: 'assistant', atMs: 5 }),
    message('new', {
      atMs: 6,
      from: { id: '7', name: 'Ann' },
      quoted: 'q',
      files: [file('a.txt', { path }), file('large', { path: large }), file('gone', { problem: 'expired' })],
    }),
  ]
  const turn = createTurn(messages, { chat: { kind: 'group', title: 'Team' } })
  expect(await collectText(assistant.reply(turn, never))).toBe('**hi**')
  expect(bodies[0]?.headers).toMatchObject({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'idempotency-key': 'turn-1',
    authorization: `Bearer ${KEY}`,
  })
  const about = { kind: 'file', mime: 'text/plain', size: 5 }
  expect(bodies[0]?.body).toEqual({
    turn_id: 'turn-1',
    conversation_id: 'conversation-1',
    platform: 'telegram',
    chat: { kind: 'group', title: 'Team' },
    messages: [
      { role: 'user', text: 'old', sent_at: 0, files: [{ ...about, name: 'old.txt', problem: 'part of the history' }] },
      { role: 'assistant', text: 'answer', sent_at: 5, files: [] },
      {
        role: 'user',
        text: 'new',
        sent_at: 6,
        from: { id: '7', name: 'Ann' },
        quoted: 'q',
        files: [
          { ...about, name: 'a.txt', content: Buffer.from('hällo').toString('base64') },
          { ...about, name: 'large', problem: 'too large or unreadable' },
          { ...about, name: 'gone', problem: 'expired' },
        ],
      },
    ],
  })
  expect(clock.sleeping).toBe(0)
})

const B64 = Buffer.from('bytes').toString('base64')
const sse = 'text/event-stream'
const answers: readonly [why: string, type: string, chunks: readonly (string | Uint8Array)[], text: string][] = [
  [
    'files',
    'application/json',
    [`{"files":[{"name":"../a.txt","mime":"text/plain","content":"${B64}"}]}`],
    '<.._a.txt text/plain bytes>',
  ],
  [
    'a file without a sound type',
    'application/json',
    [`{"text":"x","files":[{"name":"a","mime":"x\\ny","content":"${B64}"}]}`],
    'x<a application/octet-stream bytes>',
  ],
  ['events', sse, ['data: {"text":"a"}\n\ndata: {"text":"b"}\n\ndata: [DONE]\n\n'], 'ab'],
  ['events without an end mark', sse, ['data: {"text":"a"}\n\n'], 'a'],
  ['an end mark without its blank line', sse, ['data: {"text":"a"}\n\ndata: [DONE]'], 'a'],
  [
    'events cut anywhere',
    sse,
    ['da', 'ta: {"te', 'xt":"', Buffer.from([0xc3]), Buffer.from([0xa4]), '"}\r', '\n\r\ndata:{"done":true}\r\n\r\n'],
    'ä',
  ],
  ['comments, names and several data lines', sse, [': hi\n\nevent: x\nid: 1\ndata: {"text":\ndata: "a"}\n\n'], 'a'],
  [
    'a file among events',
    sse,
    [`data: {"text":"see ","file":{"name":"a","content":"${B64}"}}\n\n`],
    'see <a application/octet-stream bytes>',
  ],
]
it.each(answers)('reads %s', async (_why, type, chunks, text) => {
  answer = sending(type, ...chunks)
  expect(await collectText(assistant.reply(hello, never))).toBe(text)
})

const status =
  (code: number, body = '', headers: Record<string, string> = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(code, headers).end(body)

const failures: readonly [why: string, answer: (response: ServerResponse) => void, error: Record<string, unknown>][] = [
  [
    'a wrong key',
    status(401, JSON.stringify({ error: { message: `no ${KEY} here` } })),
    { code: 'misconfigured', message: expect.stringContaining('no ****test here') },
  ],
  ['a wrong address', status(404), { code: 'misconfigured' }],
  ['a redirect', status(302, '', { location: 'http://127.0.0.1:1/' }), { code: 'misconfigured' }],
  ['a turn that still runs', status(409, '', { 'retry-after': '3' }), { code: 'busy', retryAfterMs: 3_000 }],
  [
    'a broken endpoint',
    status(502, '{"detail":"no upstream"}'),
    { code: 'unreachable', message: expect.stringContaining('no upstream') },
  ],
  [
    'an error body without end',
    (response) => void response.writeHead(500).write('"'.repeat(100_000)),
    { code: 'unreachable' },
  ],
  ['nothing', status(204), { code: 'malformed' }],
  ['another type', sending('text/html', '<p>hi'), { code: 'malformed' }],
  ['an empty answer', sending('application/json', '{}'), { code: 'malformed', message: 'The reply is empty.' }],
  ['no JSON', sending('application/json', '{"text":'), { code: 'malformed' }],
  [
    'another shape',
    sending('application/json', '{"text":5}'),
    { code: 'malformed', message: expect.stringContaining('(at text)') },
  ],
  ['a list', sending('application/json', '[]'), { code: 'malformed' }],
  [
    'what is not UTF-8',
    sending('application/json', Buffer.from('{"text":"\xff"}', 'latin1')),
    { code: 'malformed', message: "The reply isn't valid UTF-8." },
  ],
  ['half a character at the end', sending(sse, 'data: {"text":"a"}\n\n', Buffer.from([0xc3])), { code: 'malformed' }],
  [
    'a file that is not base64',
    sending('application/json', '{"files":[{"name":"a","content":"%%%"}]}'),
    { code: 'malformed' },
  ],
  ['an event of another shape', sending(sse, 'data: {"txt":"a"}\n\n'), { code: 'malformed' }],
  [
    'half an event',
    sending(sse, 'data: {"text":"a"}\n\ndata: {"te'),
    { code: 'malformed', message: expect.stringContaining('ended in the middle') },
  ],
  [
    'a reported error',
    sending(sse, `data: {"error":"later ${KEY}"}\n\n`),
    { code: 'busy', message: expect.stringContaining('later ****test') },
  ],
  ['a reported error for good', sending(sse, 'data: {"error":"never","retry":false}\n\n'), { code: 'misconfigured' }],
  [
    'a cut connection',
    (response) => {
      response.writeHead(200, { 'content-type': sse })
      response.write('data: {"text":"a"}\n\n', () => response.destroy())
    },
    { code: 'malformed', message: expect.stringContaining('lost mid-response') },
  ],
]
it.each(failures)('says what is wrong with %s', async (_why, wrong, expected) => {
  answer = wrong
  const error = await catchFailure(collectText(assistant.reply(hello, never)))
  expect(error).toBeInstanceOf(AssistantError)
  expect(error).toMatchObject(expected)
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(KEY)
  expect(clock.sleeping).toBe(0)
})

it.each([
  ['application/json', '"', /larger|longer/],
  [sse, 'x', /larger|longer/],
  [sse, ':\n', /more than 500000 lines/],
])('hangs up on a body without end: %s of %j', async (type, piece, why) => {
  const closed = new Promise<void>((resolve) => {
    answer = (response) => {
      response.on('close', resolve).writeHead(200, { 'content-type': type })
      const more = (): void => {
        while (response.write(piece.repeat(500_000)));
      }
      response.on('drain', more)
      more()
    }
  })
  expect(await catchFailure(collectText(assistant.reply(hello, never)))).toMatchObject({
    code: 'malformed',
    message: expect.stringMatching(why),
  })
  await closed
})

it('gives up on a drip, and hangs up', async () => {
  let drip: ServerResponse | undefined
  const closed = new Promise<void>((resolve) => {
    answer = (response) => {
      drip = response.on('close', resolve).writeHead(200, { 'content-type': sse })
      response.write('data: {"text":"a"}\n\n')
    }
  })
  const pieces = assistant.reply(hello, never)[Symbol.asyncIterator]()
  await pieces.next()
  const failure = catchFailure(pieces.next())
  for (let minute = 0; minute < 10; minute++) {
    const written = new Promise((resolve) => drip?.write(':\n', resolve))
    await Promise.race([written, closed])
    await clock.advance(59_999)
  }
  await clock.advance(60_000)
  expect(await failure).toMatchObject({ code: 'timeout' })
  await closed
  expect(clock.sleeping).toBe(0)
})

it('ends at once when aborted', async () => {
  const aborter = new AbortController()
  const closed = new Promise<void>((resolve) => {
    answer = (response) => {
      response.on('close', resolve)
      aborter.abort(new Error('enough'))
    }
  })
  expect(await catchFailure(collectText(assistant.reply(hello, aborter.signal)))).toMatchObject({ message: 'enough' })
  await closed
  expect(clock.sleeping).toBe(0)
  expect(await catchFailure(collectText(assistant.reply(hello, aborter.signal)))).toMatchObject({ message: 'enough' })
  expect(bodies).toHaveLength(1)
})
