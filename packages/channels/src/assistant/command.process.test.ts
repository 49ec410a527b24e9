import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ManualClock, manualClock } from '../testing/clock.ts'
import { AssistantError, type AssistantPiece, type AssistantTurn } from './assistant.ts'
import { GRACE_MS } from './command.ts'
import { createAssistant } from './create-assistant.ts'
import { resolveAssistantSettings } from './settings.ts'
import { file, keptLog, message, collectText, createTurn } from './testing.ts'

let folder: string
beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'command-')), 'with spaces')
  await mkdir(folder)
})
afterAll(() => rm(join(folder, '..'), { recursive: true }))

const never = new AbortController().signal
const hello = createTurn([message('hello')])
const SAY = 'const say = (...lines) => lines.forEach((line) => console.log(JSON.stringify(line)));'

interface Run {
  readonly clock: ManualClock
  readonly log: ReturnType<typeof keptLog>
  readonly pieces: AsyncIterable<AssistantPiece>
}
let scripts = 0
/** Runs a script of JavaScript as the program. */
async function run(script: string, signal = never, turn: AssistantTurn = hello): Promise<Run> {
  const path = join(folder, `program ${scripts++}.cjs`)
  await writeFile(path, `${SAY}\n${script}`)
  return runCommand(`'${process.execPath}' '${path}' "an argument"`, signal, turn)
}
function runCommand(command: string, signal = never, turn: AssistantTurn = hello): Run {
  const clock = manualClock(0)
  const log = keptLog()
  const environment = { PATH: process.env['PATH'], PLAIN: 'seen' }
  const assistant = createAssistant(resolveAssistantSettings({ kind: 'command', command }), {
    fetch,
    clock,
    log,
    environment,
  })
  return { clock, log, pieces: assistant.reply(turn, signal) }
}
const catchFailure = (ask: Promise<unknown>): Promise<unknown> =>
  ask.then(
    (value) => expect.fail(`answered ${inspect(value)}`),
    (error: unknown) => error,
  )
function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

it('hands the turn over as one line, with paths, arguments and its own environment', async () => {
  const turn = createTurn([
    message('zeile\n2', { files: [file('a', { path: '/tmp/a' }), file('b', { problem: 'expired' })] }),
  ])
  const { clock, pieces } = await run(
    `require('fs').readFileSync(0, 'utf8').split('\\n').forEach((line, i) => {
      if (i === 0) say({ text: JSON.stringify(JSON.parse(line)) }, { text: '|' + process.argv[2] + '|' })
      else say({ text: JSON.stringify(line) })
    })
    say({ text: JSON.stringify(Object.keys(process.env).filter((name) => /plain|gatepost/i.test(name))) })`,
    never,
    turn,
  )
  const about = { mime: 'text/plain', size: 5 }
  const expected = {
    turn_id: 'turn-1',
    conversation_id: 'conversation-1',
    platform: 'telegram',
    chat: { kind: 'direct' },
    messages: [
      {
        role: 'user',
        text: 'zeile\n2',
        sent_at: 0,
        files: [
          { kind: 'file', name: 'a', ...about, path: '/tmp/a' },
          { kind: 'file', name: 'b', ...about, problem: 'expired' },
        ],
      },
    ],
  }
  expect(await collectText(pieces)).toBe(`${JSON.stringify(expected)}|an argument|""["PLAIN"]`)
  expect(clock.sleeping).toBe(0)
})

const B64 = Buffer.from('bytes').toString('base64')
const answers: readonly [why: string, script: string, text: string][] = [
  ['lines until done', `say({ text: 'a' }, { text: 'b' }, { done: true }, { text: 'c' })`, 'ab'],
  ['lines until the end', `say({ text: 'a' }); process.stdout.write('\\n{"text":"b"}')`, 'ab'],
  ['a file', `say({ file: { name: 'a', mime: 'a/b', content: '${B64}' } })`, '<a a/b bytes>'],
  ['an answer of a program that does not read', `process.stdin.destroy(); say({ text: 'a' })`, 'a'],
  ['an answer that is done before a bad end', `say({ text: 'a', done: true }); process.exitCode = 3`, 'a'],
  ['an answer whatever is said on stderr', `console.error('x'.repeat(1e6)); say({ text: 'a' })`, 'a'],
]
it.each(answers)('takes %s', async (_why, script, text) => {
  const { clock, pieces } = await run(script)
  expect(await collectText(pieces)).toBe(text)
  expect(clock.sleeping).toBe(0)
})

const failures: readonly [why: string, script: string, error: Record<string, unknown>][] = [
  [
    'a bad end',
    `say({ text: 'a' }); process.exitCode = 3`,
    { code: 'malformed', message: 'The program exited with code 3.' },
  ],
  [
    'a crash',
    `process.kill(process.pid, 'SIGABRT')`,
    { code: 'malformed', message: 'The program exited with signal SIGABRT.' },
  ],
  ['no answer', ``, { code: 'malformed', message: 'The reply is empty.' }],
  ['a reported error', `say({ error: 'no\\nluck' })`, { code: 'busy', message: 'The assistant reported: no luck' }],
  ['a reported error for good', `say({ error: 'no', retry: false })`, { code: 'misconfigured' }],
  [
    'text that is not JSON',
    `say({ text: 'a' }); console.log('debugging')`,
    { code: 'malformed', message: "Line 2 of the program's output isn't JSON." },
  ],
  ['a line of another shape', `say({ text: ['a'] })`, { code: 'malformed' }],
  ['bytes that are not UTF-8', `process.stdout.write(Buffer.from([0xff, 10]))`, { code: 'malformed' }],
  [
    'a line without end',
    `process.stdout.on('error', () => {}); const more = () => process.stdout.write('x'.repeat(1e6), more); more()`,
    { code: 'malformed', message: expect.stringContaining('longer') },
  ],
]
it.each(failures)('says what is wrong with %s', async (_why, script, expected) => {
  const { clock, pieces } = await run(script)
  const error = await catchFailure(collectText(pieces))
  expect(error).toBeInstanceOf(AssistantError)
  expect(error).toMatchObject(expected)
  expect(clock.sleeping).toBe(0)
})

it.each([
  ['/does/not/exist', 'ENOENT'],
  ['not-a-program-of-this-machine', 'ENOENT'],
  [`'${tmpdir()}'`, 'EACCES'],
])('says that %s cannot be started', async (command, code) => {
  const { clock, pieces } = runCommand(command)
  expect(await catchFailure(collectText(pieces))).toMatchObject({
    code: 'misconfigured',
    message: `Couldn't start the program (${code}).`,
  })
  expect(clock.sleeping).toBe(0)
})

it('writes stderr to the log, within bounds', async () => {
  const { log, pieces } = await run(
    `console.error('one\\n\\ntwo'); console.error('y'.repeat(5000)); for (let i = 0; i < 500; i++) console.error(i)
     say({ text: 'a' })`,
  )
  await collectText(pieces)
  expect(log.lines.slice(0, 3).map(([, fields]) => fields)).toEqual([
    { turn: 'turn-1', line: 'one' },
    { turn: 'turn-1', line: 'two' },
    { turn: 'turn-1', line: 'y'.repeat(1000) },
  ])
  expect(log.lines.length).toBeLessThanOrEqual(101)
})

/** Says its process id and that of a child in its group; both ignore SIGTERM. */
const STUBBORN = `
  const child = require('child_process').spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); console.error('ready'); setInterval(() => {}, 1e6)"], { stdio: ['ignore', 'inherit', 'pipe'] })
  process.on('SIGTERM', () => process.stderr.write('asked to end\\n'))
  setInterval(() => {}, 1e6)
  child.stderr.on('data', () => say({ text: process.pid + ' ' + child.pid }))`

async function firstPids(pieces: AsyncIterator<AssistantPiece>): Promise<readonly number[]> {
  const next = await pieces.next()
  return next.done !== true && next.value.type === 'text' ? next.value.text.split(' ').map(Number) : []
}

it('ends a program that ignores SIGTERM, and its children, when it falls silent', async () => {
  const { clock, pieces } = await run(STUBBORN)
  const iterator = pieces[Symbol.asyncIterator]()
  const pids = await firstPids(iterator)
  expect(pids.map(alive)).toEqual([true, true])
  const failure = catchFailure(iterator.next())
  await clock.advance(60_000)
  await clock.untilSleeping(1)
  expect(pids.map(alive)).toEqual([true, true])
  await clock.advance(GRACE_MS)
  expect(await failure).toMatchObject({ code: 'timeout' })
  expect(clock.sleeping).toBe(0)
  expect(pids.map(alive)[0]).toBe(false)
})

it('ends a willing program at once when aborted', async () => {
  const aborter = new AbortController()
  const { clock, pieces } = await run(`setInterval(() => {}, 1e6); say({ text: String(process.pid) })`, aborter.signal)
  const iterator = pieces[Symbol.asyncIterator]()
  const pids = await firstPids(iterator)
  const failure = catchFailure(iterator.next())
  aborter.abort(new Error('enough'))
  expect(await failure).toMatchObject({ message: 'enough' })
  expect(pids.map(alive)).toEqual([false])
  expect([clock.sleeping, clock.now()]).toEqual([0, 0])
})

it('ends a program when the caller loses interest, or the answer is too long', async () => {
  const { pieces } = await run(`setInterval(() => {}, 1e6); say({ text: String(process.pid) })`)
  let pid = 0
  for await (const piece of pieces) {
    pid = piece.type === 'text' ? Number(piece.text) : 0
    break
  }
  expect(alive(pid)).toBe(false)
  const long = await run(`say({ text: 'a'.repeat(130000) }); setInterval(() => {}, 1e6)`)
  expect(await collectText(long.pieces)).toMatch(/^a{100000}\n\n_\(Reply cut off/)
})

it('gives a program time to end after its answer, and no more', async () => {
  const { clock, pieces } = await run(`say({ text: String(process.pid) }, { done: true }); setInterval(() => {}, 1e6)`)
  const iterator = pieces[Symbol.asyncIterator]()
  const pids = await firstPids(iterator)
  const end = iterator.next()
  await clock.untilSleeping(2)
  expect(pids.map(alive)).toEqual([true])
  await clock.advance(GRACE_MS)
  expect(await end).toMatchObject({ done: true })
  expect(pids.map(alive)).toEqual([false])
})

it('does not wait for what the program left behind', async () => {
  const { pieces } = await run(
    `require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'inherit' })
     say({ text: 'a' }); process.stdout.write('', () => process.exit(0))`,
  )
  expect(await collectText(pieces)).toBe('a')
})

it('takes the answer of a program that has ended, though something in a session of its own holds its output', async () => {
  const { clock, pieces } = await run(
    `const left = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], {
       stdio: 'inherit', detached: true })
     say({ text: String(left.pid) }); process.stdout.write('', () => process.exit(0))`,
  )
  const answer = collectText(pieces)
  await clock.untilSleeping(2)
  await clock.advance(GRACE_MS)
  const pid = Number(await answer)
  expect(alive(pid)).toBe(true)
  process.kill(pid, 'SIGKILL')
  expect(clock.sleeping).toBe(0)
})
