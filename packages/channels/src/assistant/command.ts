import { type ChildProcess, spawn as nodeSpawn } from 'node:child_process'
import { Readable } from 'node:stream'
import type { Clock, Log } from '../platform-io.ts'
import { AssistantError, type AssistantPiece, type AssistantTurn } from './assistant.ts'
import { limitBytes, readLines, ANSWER_BYTES, readStep } from './wire-answer.ts'
import type { CommandSettings } from './settings.ts'
import type { Watch } from './watch.ts'
import { wireTurn } from './wire-turn.ts'

/** The outside world of an assistant program. */
export interface ProgramIo {
  readonly clock: Clock
  readonly log: Log
  readonly spawn?: typeof nodeSpawn
  /** The program's whole environment. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** How long a program may take to exit after its reply, and again after SIGTERM, in milliseconds. */
export const GRACE_MS = 2_000

/**
 * Runs the program for one turn: see docs/assistants.md. When this generator ends for any reason, the program and the
 * rest of its process group have ended too.
 */
export async function* streamCommand(
  settings: CommandSettings,
  io: ProgramIo,
  turn: AssistantTurn,
  watch: Watch,
): AsyncGenerator<AssistantPiece> {
  watch.signal.throwIfAborted()
  const program = startProgram(settings, io, turn)
  const stop = (): void => program.stop()
  watch.signal.addEventListener('abort', stop, { once: true })
  try {
    let line = 0
    for await (const { text } of readLines(limitBytes(program.output, ANSWER_BYTES, () => watch.heard()))) {
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
  /** Starts to terminate the process group: SIGTERM, then SIGKILL after the grace period. */
  stop(): void
  /** Waits for the program to exit within the grace period. Resolves to what went wrong, or `null`. */
  finish(): Promise<AssistantError | null>
  /** Resolves when the whole process group has ended. */
  end(): Promise<void>
}

function startProgram({ command }: CommandSettings, io: ProgramIo, turn: AssistantTurn): Program {
  const child = spawnProgram(command, io)
  const exited = waitForExit(child)
  const gone = new AbortController()
  void exited.then(() => {
    signalGroup(child, 'SIGKILL') // processes it left behind would keep its output open
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

  logStderr(child, io.log, turn.id)
  child.stdin?.on('error', () => {}) // EPIPE: the program need not read its input; its exit code is what counts
  child.stdin?.end(`${JSON.stringify(wireTurn(turn, describeFileContent))}\n`)
  return {
    output: readUntilExit(child.stdout ?? Readable.from([]), exited, io.clock),
    stop: () => void end(),
    end,
    async finish() {
      await io.clock.sleep(GRACE_MS, gone.signal)
      return gone.signal.aborted
        ? await exited
        : new AssistantError('malformed', 'The program closed its output but kept running.')
    },
  }
}

/**
 * Yields the program's output until it is closed. A process that it started in another session may keep the output open:
 * once the program has exited, that is waited for no longer than the grace period.
 */
async function* readUntilExit(output: Readable, exited: Promise<unknown>, clock: Clock): AsyncGenerator<Uint8Array> {
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

/** No shell; a separate process group, so that child processes can be terminated with it. */
function spawnProgram({ program, args }: CommandSettings['command'], io: ProgramIo): ChildProcess {
  try {
    return (io.spawn ?? nodeSpawn)(program, [...args], {
      detached: process.platform !== 'win32', // on Windows it would open a window, and groups cannot be signalled
      windowsHide: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...io.environment },
    })
  } catch (error) {
    throw startError(error)
  }
}

const describeFileContent = ({ path, problem }: { path?: string; problem?: string }): Record<string, string> =>
  path === undefined ? { problem: problem ?? 'not available' } : { path }

/** Resolves when the process has exited or failed to start, with the error or `null`. Never rejects. */
const waitForExit = (child: ChildProcess): Promise<AssistantError | null> =>
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
            `The program exited with ${signal === null ? `code ${code}` : `signal ${signal}`}.`,
          ),
        )
    })
  })

function startError(error: unknown): AssistantError {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'
  const passing = ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE'].includes(code)
  return new AssistantError(passing ? 'busy' : 'misconfigured', `Couldn't start the program (${code}).`)
}

function signalGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill(signal)
    else process.kill(-child.pid, signal)
  } catch {
    // ESRCH: no process left; EPERM: the group contains only processes of other users
  }
}

const MAX_LOGGED_LINES = 100
const MAX_LOGGED_CHARACTERS = 1_000

/** Logs the program's stderr: at most 100 lines of 1,000 characters a turn. All of it is read so that the program never blocks. */
function logStderr(child: ChildProcess, log: Log, turn: string): void {
  let lines = 0
  let rest = ''
  const write = (line: string): void => {
    lines += 1
    if (lines <= MAX_LOGGED_LINES && line.trim() !== '') log.info('Assistant program stderr', { turn, line })
    if (lines === MAX_LOGGED_LINES + 1) log.warn('Assistant program stderr exceeds the log limit', { turn })
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
