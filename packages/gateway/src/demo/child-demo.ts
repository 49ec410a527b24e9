import { childEnvironment } from '../config/child-environment.ts'
import { GatewayError } from '../server/errors.ts'
import type { Clock, Log } from '@gatepost/channels'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A separate demo process: at most one, with its own data and ports. */
export interface ChildDemo {
  /** Returns the link of the running demo, starting one if needed. @throws {GatewayError} `demo_failed` */
  start(): Promise<{ readonly url: string }>
  /** Stops the demo and prevents new ones. */
  stop(): void
}

/** Launcher with the compile cache, which makes starting faster. */
const PROGRAM = fileURLToPath(new URL('../../bin/run.cjs', import.meta.url))
/** Limit for the child's output. */
const PRINTED_MAX = 64 * 1024

/** How long a demo may take to start, ms. */
const START_MS = 30_000

/**
 * @param world.env Environment of this process. The demo only gets its basic variables, so that it neither calls a paid
 *   model nor touches this service.
 */
export function childDemo(world: {
  readonly env: NodeJS.ProcessEnv
  readonly clock: Clock
  readonly log: Log
}): ChildDemo {
  const { env, clock, log } = world
  let running: { readonly child: ChildProcess; readonly url: Promise<string> } | null = null
  let isOver = false
  const begin = (): NonNullable<typeof running> => {
    const child = spawnDemo(env)
    const begun = { child, url: within(clock, START_MS, readLink(child)) }
    const forget = (): void => {
      if (running === begun) running = null
    }
    child.once('exit', forget)
    begun.url.catch((error: unknown) => {
      log.warn("The demo didn't start", { error })
      child.kill()
      forget()
    })
    return begun
  }
  return {
    async start() {
      if (isOver) throw new GatewayError('demo_failed')
      running ??= begin()
      try {
        return { url: await running.url }
      } catch (cause) {
        throw new GatewayError('demo_failed', { cause })
      }
    },
    stop() {
      isOver = true
      const { child } = running ?? {}
      child?.stdin?.end()
      child?.stdout?.destroy()
      child?.unref() // don't keep this process alive for it
    },
  }
}

/** @throws {Error} after `limitMs` */
async function within<T>(clock: Clock, limitMs: number, work: Promise<T>): Promise<T> {
  const over = new AbortController()
  const late = clock
    .sleep(limitMs, over.signal)
    .then(() => Promise.reject(new Error(`no response within ${limitMs} ms`)))
  try {
    return await Promise.race([work, late])
  } finally {
    late.catch(() => undefined) // the race is over
    over.abort()
  }
}

/** The demo ends with its standard input, i.e. also if this process crashes. */
function spawnDemo(env: NodeJS.ProcessEnv): ChildProcess {
  return spawn(process.execPath, [PROGRAM, 'demo', '--json', '--until-input-ends'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...childEnvironment(env), GATEPOST_LOG_LEVEL: 'error' },
  })
}

/** Waits for the link that the demo prints. */
async function readLink(child: ChildProcess): Promise<string> {
  const failed = once(child, 'error').then(([cause]: unknown[]) =>
    Promise.reject(new Error("couldn't start the process", { cause })),
  )
  let printed = ''
  const read = async (): Promise<string> => {
    for await (const chunk of child.stdout ?? []) {
      printed += String(chunk)
      const link = /"enter": "(http:\/\/127\.0\.0\.1:[^"]+)"/.exec(printed)?.[1]
      if (link !== undefined) return link
      if (printed.length > PRINTED_MAX) break
    }
    throw new Error('the process ended without printing a link')
  }
  return Promise.race([read(), failed])
}
