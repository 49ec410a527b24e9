import { type ChildProcess, spawn as nodeSpawn } from 'node:child_process'
import { Readable } from 'node:stream'
import type { Clock, Log } from '../platform-io.ts'
import { AssistantError, type AssistantPiece, type AssistantTurn } from './assistant.ts'
import { checkBytes, readLines, ANSWER_BYTES, readStep } from './wire-answer.ts'
import type { CommandSettings } from './settings.ts'
import type { Watch } from './watch.ts'
import { wireTurn } from './wire-turn.ts'

/** The world of a program. */
export interface ProgramIo {
  readonly clock: Clock
  readonly log: Log
  readonly spawn?: typeof nodeSpawn
  /** What the program finds in its environment, without `GATEPOST_…`. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** How long a program may take to end by itself after its answer, and again after SIGTERM, in milliseconds. */
export const GRACE_MS = 2_000

/**
 * Runs the program for one turn: see docs/assistants.md. When this generator ends, in whatever way, the program and
 * whatever else runs in its process group has ended too.
 */
export async function* askCommand(
  settings: CommandSettings,
  io: ProgramIo,
  turn: AssistantTurn,
  watch: Watch,
): AsyncGenerator<AssistantPiece> {
  watch.signal.throwIfAborted()
  const program = start(settings, io, turn)
  const stop = (): void => program.stop()
  watch.signal.addEventListener('abort', stop, { once: true })
  try {
    let line = 0
    for await (const { text } of readLines(checkBytes(program.output, ANSWER_BYTES, () => watch.heard()))) {
      line += 1
      if (text.trim() === '') continue
      const { pieces, done } = readStep(text, `Line ${line} of the program's output`)
      yield* pieces
      if (done) {
        await program.finish()
        return
      }
    }
    const problem = await program.finish()
    if (problem !== null) throw problem
  } catch (error) {
    watch.signal.throwIfAborted()
    if (error instanceof AssistantError) throw error
    throw (await program.finish()) ?? error // a broken stream: how the program ended explains it
  } finally {
    watch.signal.removeEventListener('abort', stop)
    await program.end()
  }
}

interface Program {
  readonly output: AsyncIterable<Uint8Array>
  /** Begins to end the process group: SIGTERM, and SIGKILL after the grace. */
  stop(): void
  /** Gives the program the grace to end by itself. What is wrong with how it ended, or that it did not; or `null`. */
  finish(): Promise<AssistantError | null>
  /** Resolves when nothing of it runs any more. */
  end(): Promise<void>
}

function start({ command }: CommandSettings, io: ProgramIo, turn: AssistantTurn): Program {
  const child = launch(command, io)
  const exited = exitOf(child)
  const gone = new AbortController()
  void exited.then(() => {
    signalGroup(child, 'SIGKILL') // what it left behind would keep its output open
    gone.abort()
  })
  let stopping: Promise<void> | null = null

  const terminate = async (): Promise<void> => {
    if (!gone.signal.aborted) {
      signalGroup(child, 'SIGTERM')
      await io.clock.sleep(GRACE_MS, gone.signal)
      signalGroup(child, 'SIGKILL')
    }
    await exited
    child.stdout?.destroy()
    child.stderr?.destroy()
    child.stdin?.destroy()
  }
  const end = (): Promise<void> => (stopping ??= terminate())

  copyErrors(child, io.log, turn.id)
  child.stdin?.on('error', () => {}) // EPIPE: the program need not read its input; how it ends says enough
  child.stdin?.end(`${JSON.stringify(wireTurn(turn, contentOf))}\n`)
  return {
    output: untilLeft(child.stdout ?? Readable.from([]), exited, io.clock),
    stop: () => void end(),
    end,
    async finish() {
      await io.clock.sleep(GRACE_MS, gone.signal)
      return gone.signal.aborted
        ? await exited
        : new AssistantError('malformed', 'The program closed its output but ran on.')
    },
  }
}

/**
 * What the program wrote, until its output is closed. Something it started in a session of its own may hold the output
 * open: once the program has gone, that is waited for no longer than the grace.
 */
async function* untilLeft(output: Readable, exited: Promise<unknown>, clock: Clock): AsyncGenerator<Uint8Array> {
  const closed = new AbortController()
  const left = exited
    .then(() => clock.sleep(GRACE_MS, closed.signal))
    .then(() => ({ done: true, value: undefined }) as const)
  const chunks: AsyncIterator<Uint8Array> = output[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await Promise.race([chunks.next(), left])
      if (next.done) return
      yield next.value
    }
  } finally {
    closed.abort()
    output.destroy()
  }
}

/** No shell; an own process group, so that what the program starts can be ended with it. */
function launch({ program, args }: CommandSettings['command'], io: ProgramIo): ChildProcess {
  try {
    return (io.spawn ?? nodeSpawn)(program, [...args], {
      detached: process.platform !== 'win32', // there it would open a window, and groups cannot be signalled
      windowsHide: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: withoutOurs(io.environment),
    })
  } catch (error) {
    throw startError(error)
  }
}

const withoutOurs = (environment: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !name.toUpperCase().startsWith('GATEPOST_')))

const contentOf = ({ path, problem }: { path?: string; problem?: string }): Record<string, string> =>
  path === undefined ? { problem: problem ?? 'not available' } : { path }

/** Resolves when the process has ended, or could not begin, with what is wrong about that. Never rejects. */
const exitOf = (child: ChildProcess): Promise<AssistantError | null> =>
  new Promise((resolve) => {
    child.on('error', (error) => {
      if (child.pid === undefined) resolve(startError(error))
    })
    child.once('exit', (code, signal) => {
      if (code === 0) resolve(null)
      else
        resolve(
          new AssistantError(
            'malformed',
            `The program ended ${signal === null ? `with code ${code}` : `by ${signal}`}.`,
          ),
        )
    })
  })

function startError(error: unknown): AssistantError {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'
  const passing = ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE'].includes(code)
  return new AssistantError(passing ? 'busy' : 'misconfigured', `The program could not be started (${code}).`)
}

function signalGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill(signal)
    else process.kill(-child.pid, signal)
  } catch {
    // ESRCH: nobody is left; EPERM: the group holds only processes that are not ours to end
  }
}

const MAX_LOGGED_LINES = 100
const MAX_LOGGED_CHARACTERS = 1_000

/** The program's stderr goes to the log: at most 100 lines of 1,000 characters a turn. All of it is read, lest the program blocks. */
function copyErrors(child: ChildProcess, log: Log, turn: string): void {
  let lines = 0
  let rest = ''
  const write = (line: string): void => {
    lines += 1
    if (lines <= MAX_LOGGED_LINES && line.trim() !== '') log.info('The assistant program says', { turn, line })
    if (lines === MAX_LOGGED_LINES + 1) log.warn('The assistant program says more than is logged', { turn })
  }
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    const [first = '', ...more] = text.split(/\r?\n/)
    rest = (rest + first).slice(0, MAX_LOGGED_CHARACTERS)
    for (const next of more) {
      write(rest)
      rest = next.slice(0, MAX_LOGGED_CHARACTERS)
    }
  })
  child.stderr?.on('end', () => rest !== '' && write(rest)).on('error', () => {}) // a broken pipe ends the log only
}
