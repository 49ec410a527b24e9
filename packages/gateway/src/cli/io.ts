import { open } from 'node:fs/promises'
import { systemClock } from '../system-clock.ts'
import { privateFiles, type PrivateFiles } from './private-files.ts'
import { terminalPrompts, type Prompts } from './prompts.ts'
import { usageError } from './exit-code.ts'
import type { Clock } from '@gatepost/channels'
import type { Output } from './text.ts'

/** Everything outside the process that a command uses. Tests replace it. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly out: Output
  readonly err: Output
  /** Whether prompts are possible: input and output are both terminals. */
  readonly interactive: boolean
  readonly prompts: () => Promise<Prompts>
  /** Reads all of standard input as UTF-8. @throws {CliError} `usage` beyond `maxBytes` */
  readonly readInput: (maxBytes: number) => Promise<string>
  /** Reads a file as UTF-8. @throws {CliError} `usage` beyond `maxBytes`, or if it can't be read */
  readonly readFile: (path: string, maxBytes: number) => Promise<string>
  /** Storage for tokens. */
  readonly files: PrivateFiles
  readonly fetch: typeof fetch
  readonly clock: Clock
  /** Version of the running Node.js, without `v`. */
  readonly nodeVersion: string
  /** Aborts on Ctrl-C and on a termination signal. */
  readonly signal: AbortSignal
}

async function readAtMost(source: AsyncIterable<Uint8Array>, maxBytes: number, what: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of source) {
    size += chunk.byteLength
    if (size > maxBytes) throw usageError(`${what} is larger than ${maxBytes} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

async function readFileAtMost(path: string, maxBytes: number): Promise<string> {
  try {
    await using file = await open(path, 'r')
    return await readAtMost(file.createReadStream({ autoClose: false }), maxBytes, `The file ${path}`)
  } catch (error) {
    if (error instanceof Error && 'code' in error) throw usageError(`Couldn't read ${path} (${String(error.code)}).`)
    throw error
  }
}

function createOutput(stream: NodeJS.WriteStream, env: Io['env']): Output {
  const isTty = stream.isTTY === true
  return {
    write: (text) => void stream.write(text),
    isTty,
    colour: isTty && !env['NO_COLOR'] && env['TERM'] !== 'dumb',
    get columns() {
      return isTty ? (stream.columns ?? 80) : Number.POSITIVE_INFINITY
    },
  }
}

/** Returns the `Io` of this process. The caller aborts `signal`. */
export function processIo(signal: AbortSignal): Io {
  return {
    env: process.env,
    out: createOutput(process.stdout, process.env),
    err: createOutput(process.stderr, process.env),
    interactive: process.stdin.isTTY === true && process.stdout.isTTY === true,
    prompts: terminalPrompts,
    readInput: (maxBytes) => readAtMost(process.stdin, maxBytes, 'Standard input'),
    readFile: readFileAtMost,
    files: privateFiles(systemClock, signal),
    fetch: globalThis.fetch,
    clock: systemClock,
    nodeVersion: process.versions.node,
    signal,
  }
}
