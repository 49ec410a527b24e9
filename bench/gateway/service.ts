import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { now, pause } from '../machine.ts'

const GATEPOST = fileURLToPath(new URL('../../packages/gateway/bin/gatepost.cjs', import.meta.url))

/** A data folder in which the service can be started any number of times, each in its own process, as `npm start` does. */
export interface ServiceFolder {
  readonly dataDir: string
  /** @param nodeOptions E.g. `--cpu-prof`. */
  start(nodeOptions?: readonly string[]): Promise<Service>
  remove(): Promise<void>
}

export interface Service {
  readonly pid: number
  readonly url: string
  /** The link that creates the first account. */
  readonly firstLink: Promise<string>
  readonly spawnedAtMs: number
  readonly readyAtMs: number
  /** Saves the bot of the Telegram emulator; resolves when it runs. */
  connect(token: string): Promise<void>
  /** Saves the bot of any platform; resolves when it runs. */
  save(platform: string, credentials: Readonly<Record<string, string>>): Promise<void>
  stop(): Promise<void>
}

/**
 * Creates a folder for a service with the Telegram emulator.
 * @param databaseUrl PostgreSQL to use instead of SQLite.
 */
export const createServiceFolder = (platformUrl: string, databaseUrl?: string): Promise<ServiceFolder> =>
  createServiceFolderWith({
    GATEPOST_PACING: 'off',
    // each round has a new folder but may share a database with the previous one
    GATEPOST_SECRET_KEY: Buffer.alloc(32, 'made up').toString('base64'),
    GATEPOST_TELEGRAM_API_URL: platformUrl,
    ...(databaseUrl === undefined ? {} : { GATEPOST_DATABASE_URL: databaseUrl }),
  })

/** Creates a folder for a service. @param environment Settings other than the folder and the port. */
export async function createServiceFolderWith(environment: Readonly<Record<string, string>>): Promise<ServiceFolder> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'gatepost-bench-'))
  const settings = { ...environment, GATEPOST_DATA_DIR: dataDir, GATEPOST_PORT: '0' }
  return {
    dataDir,
    start: (nodeOptions = []) => startService(dataDir, settings, nodeOptions),
    remove: () => rm(dataDir, { recursive: true, force: true }),
  }
}

async function startService(
  dataDir: string,
  settings: Readonly<Record<string, string>>,
  nodeOptions: readonly string[],
): Promise<Service> {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...settings }
  const spawnedAtMs = now()
  const child = spawn(process.execPath, [...nodeOptions, GATEPOST, 'serve'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  const firstLink = readFirstLink(child)
  const url = await readUrl(child)
  const readyAtMs = now()
  const call = async (method: string, at: string, body?: unknown): Promise<unknown> => {
    const token = (await readFile(path.join(dataDir, 'api-token'), 'utf8')).trim()
    const response = await fetch(url + at, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${at}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  const save: Service['save'] = async (platform, credentials) => {
    await call('POST', `/api/channels/${platform}`, credentials)
    for (;;) {
      const channel = (await call('GET', `/api/channels/${platform}`)) as { running?: unknown } // a channel's entry
      if (channel.running === true) return
      await pause(20)
    }
  }
  return {
    pid: child.pid ?? 0,
    url,
    firstLink,
    spawnedAtMs,
    readyAtMs,
    connect: (token) => save('telegram', { bot_token: token }),
    save,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Resolves to the link in the output. Never resolves if an account exists. */
function readFirstLink(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    if (child.stdout === null) return
    createInterface({ input: child.stdout }).on('line', (line) => {
      const url = /first account.*: (http\S+)$/.exec(line)?.[1]
      if (url !== undefined) resolve(url)
    })
  })
}

/** Reads the URL from the log. @throws {Error} with the log if the service exits first */
function readUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const log: string[] = []
    child.once('exit', () => reject(new Error(`The service exited before it was ready:\n${log.join('\n')}`)))
    if (child.stderr === null) return
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (log.length < 50) log.push(line)
      const url = /"url":"([^"]+)".*"msg":"Gatepost is ready"/.exec(line)?.[1]
      if (url !== undefined) resolve(url)
    })
  })
}
