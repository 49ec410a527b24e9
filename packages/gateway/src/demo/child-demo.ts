import { GatewayError } from '../server/errors.ts'
import type { Clock, Log } from '@gatepost/channels'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A demo beside this service: at most one, with data and ports of its own. */
export interface ChildDemo {
  /** The link of the one that runs, or of a new one. @throws {GatewayError} `demo_failed` */
  start(): Promise<{ readonly url: string }>
  /** It ends soon after, and none is started any more. */
  stop(): void
}

/** Finds its modules stripped and compiled: most of the work of a start. */
const PROGRAM = fileURLToPath(new URL('../../bin/run.cjs', import.meta.url))
/** What it prints is short. */
const PRINTED_MAX = 64 * 1024

/** How long a demo may take to start, ms. */
const START_MS = 30_000

/**
 * @param world.env Of this process: its `GATEPOST_…` are left out, so that the demo asks no model that costs something
 *   and touches nothing of this service.
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
      log.warn('The demo did not start', { error })
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
      child?.unref() // this process waits for nothing of it
    },
  }
}

/** @throws {Error} when it takes longer */
async function within<T>(clock: Clock, limitMs: number, work: Promise<T>): Promise<T> {
  const over = new AbortController()
  const late = clock.sleep(limitMs, over.signal).then(() => Promise.reject(new Error(`no answer within ${limitMs} ms`)))
  try {
    return await Promise.race([work, late])
  } finally {
    late.catch(() => undefined) // nobody waits any more
    over.abort()
  }
}

/** It ends when its standard input does: also when this process dies and can tell nobody. */
function spawnDemo(env: NodeJS.ProcessEnv): ChildProcess {
  const own = Object.entries(env).filter(([name]) => !name.startsWith('GATEPOST_'))
  return spawn(process.execPath, [PROGRAM, 'demo', '--json', '--until-input-ends'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...Object.fromEntries(own), GATEPOST_LOG_LEVEL: 'error' },
  })
}

/** What it prints once it runs. */
async function readLink(child: ChildProcess): Promise<string> {
  const failed = once(child, 'error').then(([cause]: unknown[]) =>
    Promise.reject(new Error('it cannot run', { cause })),
  )
  let printed = ''
  const read = async (): Promise<string> => {
    for await (const chunk of child.stdout ?? []) {
      printed += String(chunk)
      const link = /"enter": "(http:\/\/127\.0\.0\.1:[^"]+)"/.exec(printed)?.[1]
      if (link !== undefined) return link
      if (printed.length > PRINTED_MAX) break
    }
    throw new Error('it ended without a link')
  }
  return Promise.race([read(), failed])
}
