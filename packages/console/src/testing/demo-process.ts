import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buildConsole } from './gatepost-process.ts'

const PROGRAM = join(import.meta.dirname, '..', '..', '..', 'gateway', 'bin', 'run.cjs')

/** A running demo. */
export interface DemoProcess extends AsyncDisposable {
  /** The link that signs in. */
  readonly link: string
}

/** Builds the console if needed and starts a demo process. */
export async function startDemoProcess(): Promise<DemoProcess> {
  buildConsole()
  const env = { PATH: process.env['PATH'], HOME: '/nowhere', LANG: 'en' }
  const child = spawn(process.execPath, [PROGRAM, 'demo', '--json'], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = once(child, 'exit')
  const found = Promise.withResolvers<string>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const link = /"enter": "([^"]+)"/.exec(line)?.[1]
    if (link !== undefined) found.resolve(link)
  })
  void ended.then(() => found.reject(new Error('The demo ended before it was ready.')))
  const link = await found.promise
  return {
    link,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGINT')
      await ended
    },
  }
}
