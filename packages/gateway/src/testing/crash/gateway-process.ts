import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** Finds its modules stripped and compiled, as the installed program does: half of the work of a start. */
const PROGRAM = fileURLToPath(new URL('../../../bin/run.cjs', import.meta.url))

/** A gateway as a process of its own, so that it can be killed. */
export interface GatewayProcess {
  /** The address, once it is ready; rejects when the process ends before. */
  readonly ready: Promise<string>
  /** What it wrote to stderr so far, one entry a line. */
  readonly log: readonly string[]
  /** The link to the first account, once it is printed on stdout. */
  readonly firstAccountUrl: Promise<string>
  /** SIGKILL: nothing of the process runs any more when this resolves. */
  kill(): Promise<void>
  /** SIGTERM. @returns the exit code */
  stop(): Promise<number | null>
}

/** @param settings `GATEPOST_*` variables; nothing else is inherited but what a process needs to start. */
export function startGatewayProcess(settings: Readonly<Record<string, string>>): GatewayProcess {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...settings }
  const child = spawn(process.execPath, [PROGRAM, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const log: string[] = []
  const ready = Promise.withResolvers<string>()
  // whoever only kills it does not look
  ready.promise.catch(() => {})
  createInterface({ input: child.stderr }).on('line', (line) => {
    log.push(line)
    const url = /"url":"([^"]+)".*"msg":"Gatepost is ready"/.exec(line)?.[1]
    if (url !== undefined) ready.resolve(url)
  })
  const ended = end(child)
  void ended.then(() => ready.reject(new Error(`The gateway ended before it was ready:\n${log.join('\n')}`)))
  const first = Promise.withResolvers<string>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const url = /first account.*: (http\S+)$/.exec(line)?.[1]
    if (url !== undefined) first.resolve(url)
  })
  const finish = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal)
    return ended
  }
  return {
    ready: ready.promise,
    log,
    firstAccountUrl: first.promise,
    kill: async () => void (await finish('SIGKILL')),
    stop: () => finish('SIGTERM'),
  }
}

async function end(child: ChildProcess): Promise<number | null> {
  await once(child, 'exit')
  return child.exitCode
}
