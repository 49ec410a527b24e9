import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'

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

/** A call of the API as its owner, of the service that listens at `url`. */
export async function call(
  url: string,
  dataDir: string,
  method: string,
  route: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const token = (await readFile(path.join(dataDir, 'api-token'), 'utf8')).trim()
  const response = await fetch(`${url}${route}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  // every answer of the API is a JSON object
  return (await response.json()) as Record<string, unknown>
}

/** All pages of a list of the API. @param route Ends with `?` or `&`. */
export async function listAll(
  url: string,
  dataDir: string,
  route: string,
): Promise<readonly Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = []
  let before = ''
  for (;;) {
    const page = await call(url, dataDir, 'GET', `${route}limit=200${before}`)
    items.push(...(page['items'] as Record<string, unknown>[])) // the route's own shape
    if (typeof page['next'] !== 'string') return items
    before = `&before=${encodeURIComponent(page['next'])}`
  }
}

/** Waits until a platform's messages are all answered and no delivery is open. */
export async function untilAtRest(url: string, dataDir: string, platform: string): Promise<void> {
  const get = (route: string): Promise<Record<string, unknown>> => call(url, dataDir, 'GET', route)
  const countOpen = async (): Promise<number> => {
    const { queued } = await get(`/api/channels/${platform}`)
    const { items: sending } = await get(`/api/deliveries?state=sending`)
    const { items } = await get('/api/conversations?limit=200')
    const waiting = (items as { waiting: number }[]).reduce((sum, each) => sum + each.waiting, 0) // the route's own shape
    return Number(queued) + (sending as unknown[]).length + waiting // likewise
  }
  await expect.poll(countOpen, { timeout: 300_000, interval: 200 }).toBe(0)
}

/** The link in the newest mail on the console to this address with this in its subject, once there is one. */
export async function mailedLink(
  { log }: Pick<GatewayProcess, 'log'>,
  mail: { readonly to: string; readonly subject: string },
): Promise<string> {
  const find = (): string | undefined => {
    const at = log.findLastIndex(
      (line, index) =>
        line.startsWith('Subject: ') && line.includes(mail.subject) && log[index - 1] === `To: ${mail.to}`,
    )
    return at < 0 ? undefined : log.slice(at).find((line) => line.startsWith('http'))
  }
  await expect.poll(find).toBeDefined()
  return find() ?? ''
}
