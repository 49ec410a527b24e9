import { runProgram } from '../program.ts'
import { CliError, EXIT, type ExitCode } from '../exit-code.ts'
import { NOW } from './fake-server.ts'
import type { Io } from '../io.ts'
import type { PrivateFiles } from '../private-files.ts'
import type { Output } from '../text.ts'
import type { Prompts } from '../prompts.ts'

export const TOKEN = 'owner-token-for-tests'

/** What a person types, in the order of the questions. */
export interface Typed {
  readonly question: RegExp
  /** `null`: leaves by Ctrl-C. */
  readonly answer: string | boolean | null
}

export interface CliRun {
  readonly code: ExitCode
  readonly out: string
  readonly err: string
  /** What the questions and notes said. */
  readonly said: readonly string[]
  /** Parsed standard output. */
  readonly json: () => unknown
}

export interface RunOptions {
  readonly url?: string
  readonly env?: Io['env']
  readonly input?: string
  readonly files?: Readonly<Record<string, string>>
  /** Where tokens are kept; default: nowhere yet. */
  readonly privateFiles?: PrivateFiles
  /** Makes it a terminal that a person sits at. */
  readonly typed?: readonly Typed[]
  readonly columns?: number
  readonly colour?: boolean
  readonly nodeVersion?: string
  /** Milliseconds since the Unix epoch. */
  readonly now?: number
  readonly signal?: AbortSignal
  /** How long every call takes by the clock of the program, milliseconds. */
  readonly callMs?: number
}

/** Runs one command line as a person or a script would, against the server at `url`. */
export async function runCli(argv: readonly string[], options: RunOptions = {}): Promise<CliRun> {
  const out: string[] = []
  const err: string[] = []
  const said: string[] = []
  const interactive = options.typed !== undefined
  const prompts = scriptedPrompts(options.typed ?? [], said)
  let now = options.now ?? NOW
  const output = (to: string[]): Output => ({
    write: (text) => void to.push(text),
    isTty: interactive,
    colour: options.colour ?? false,
    columns: options.columns ?? Number.POSITIVE_INFINITY,
  })
  const io: Io = {
    env: { GATEPOST_TOKEN: TOKEN, ...(options.url && { GATEPOST_PUBLIC_URL: options.url }), ...options.env },
    out: output(out),
    err: output(err),
    interactive,
    prompts: async () => prompts,
    readInput: async () => options.input ?? '',
    readFile: async (path) => {
      const text = options.files?.[path]
      if (text === undefined) throw new CliError('usage', `Couldn't read ${path} (ENOENT).`, { exit: 2 })
      return text
    },
    files: options.privateFiles ?? memoryFiles(),
    fetch: async (...call) => {
      now += options.callMs ?? 0
      return globalThis.fetch(...call)
    },
    clock: {
      now: () => now,
      sleep: async (ms) => {
        now += ms
      },
    },
    nodeVersion: options.nodeVersion ?? '26.10.0',
    signal: options.signal ?? new AbortController().signal,
  }
  const code = await runProgram(argv, io)
  const text = out.join('')
  return { code, out: text, err: err.join(''), said, json: (): unknown => JSON.parse(text) }
}

/** Private files in memory. */
export function memoryFiles(held: Map<string, string> = new Map()): PrivateFiles {
  return {
    read: async (path) => held.get(path) ?? null,
    write: async (path, text) => void held.set(path, text),
    locked: (_path, work) => work(),
  }
}

/** Every question must be the next one of `typed`; an answer that the question refuses is a failure. */
function scriptedPrompts(typed: readonly Typed[], said: string[]): Prompts {
  const waiting = [...typed]
  const next = (question: string): string | boolean => {
    const expected = waiting.shift()
    said.push(question)
    if (!expected?.question.test(question)) throw new Error(`unexpected question: ${question}`)
    if (expected.answer === null) throw new CliError('cancelled', 'Cancelled.', { exit: EXIT.interrupted })
    return expected.answer
  }
  const checked = (question: string, check: (value: string) => string | undefined): string => {
    const answer = String(next(question))
    const problem = check(answer)
    if (problem === undefined) return answer
    said.push(problem)
    return checked(question, check)
  }
  const say = (text: string): void => void said.push(text)
  return {
    intro: say,
    outro: say,
    note: (title, lines) => said.push(title, ...lines),
    info: say,
    secret: async (question, check) => checked(question, check),
    text: async (question, _initial, check) => checked(question, check),
    confirm: async (question) => next(question) === true,
    choose: async (question, choices) => {
      const answer = next(question)
      const chosen = choices.find(({ value }) => value === answer)
      if (!chosen) throw new Error(`${String(answer)} is not offered: ${choices.map(({ value }) => value).join(', ')}`)
      return chosen.value
    },
    busy: async (text, work, outcome) => {
      say(typeof text === 'string' ? text : text())
      try {
        const result = await work()
        say(outcome(result))
        return result
      } catch (error) {
        if (error instanceof CliError) say(error.spoken)
        throw error
      }
    },
  }
}
