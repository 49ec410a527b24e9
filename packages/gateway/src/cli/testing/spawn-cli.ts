import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

/** Finds its modules stripped and compiled, as the installed program does: half of the work of a start. */
const PROGRAM = join(import.meta.dirname, '..', '..', '..', 'bin', 'run.cjs')

/** A command line that runs as a process of its own. */
export interface SpawnedCli {
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>
  /** Both streams so far. */
  readonly out: () => string
  readonly err: () => string
  /** The first line of standard error that contains `text`. @throws with what was said when the process ends before */
  errLine(text: string): Promise<string>
  readonly ended: Promise<number | null>
}

/** Nothing of the surrounding environment but what a process needs. */
export function spawnCli(args: readonly string[], env: Readonly<Record<string, string>> = {}, input = ''): SpawnedCli {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nowhere', ...env },
  })
  child.stdin.end(input)
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (out += text))
  const lines: string[] = []
  const waiting = new Set<() => void>()
  const changed = (): void => waiting.forEach((look) => look())
  createInterface(child.stderr).on('line', (line) => {
    lines.push(line)
    changed()
  })
  let over = false
  const ended = once(child, 'close').then(([code]: (number | null)[]) => {
    over = true
    changed()
    return code ?? null
  })
  const errLine = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = lines.find((line) => line.includes(text))
        if (found === undefined && !over) return
        waiting.delete(look)
        if (found === undefined) reject(new Error(`it ended without saying ${text}:\n${lines.join('\n')}`))
        else resolve(found)
      }
      waiting.add(look)
      look()
    })
  return { process: child, out: () => out, err: () => lines.join('\n'), errLine, ended }
}

/** Runs to the end. */
export async function runSpawned(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input = '',
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
  const cli = spawnCli(args, env, input)
  const code = await cli.ended
  return { code, out: cli.out(), err: cli.err() }
}

/** The JSON that is printed once a command runs. @throws with what was said when the process ends before */
export async function firstJson(cli: SpawnedCli): Promise<string> {
  while (!cli.out().trimEnd().endsWith('}')) {
    const again = Promise.withResolvers<void>()
    cli.process.stdout.once('data', () => again.resolve())
    await Promise.race([
      again.promise,
      cli.ended.then((code) => Promise.reject(new Error(`ended: ${code}\n${cli.err()}`))),
    ])
  }
  return cli.out()
}
