import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { now } from '../machine.ts'
import { type Client, createHttpClient } from './http-client.ts'
import { populate, type Population } from './people.ts'

/** A database with users, for both kinds of servers. */
export interface Site {
  readonly population: Population
  /** Starts a server. @param profile Folder for a CPU profile. */
  start(kind: 'baseline' | 'auth', profile?: string | null): Promise<Server>
  remove(): Promise<void>
}

export async function createSite(population: Population): Promise<Site> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gatepost-bench-auth-'))
  const file = path.join(folder, 'auth.db')
  const cache = path.join(folder, 'compile-cache')
  await populate(file, population)
  return {
    population,
    start: (kind, profile = null) => startServer(kind, file, { cache, profile } satisfies ServerOptions),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

const SERVER = fileURLToPath(new URL('server.ts', import.meta.url))

/** A server under measurement. */
export interface Server extends Client {
  /** Time from the start of the process until it listens, ms. */
  readonly readyMs: number
  readonly spawnedAtMs: number
  usage(): Promise<Usage>
  stop(): Promise<void>
}

interface Usage {
  readonly cpuMicros: number
  readonly residentBytes: number
}

interface ServerOptions {
  /** Folder of the compile cache, which a service has after its first start. */
  readonly cache: string
  /** Folder for a CPU profile, or `null`. */
  readonly profile?: string | null
}

/** Starts a server. @param kind `baseline` is a prepared select, `auth` the package. */
async function startServer(kind: 'baseline' | 'auth', file: string, options: ServerOptions): Promise<Server> {
  const { cache, profile = null } = options
  const spawnedAtMs = now()
  const flags =
    profile === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`, `--cpu-prof-name=${kind}.cpuprofile`]
  const child = spawn(process.execPath, [...flags, SERVER, kind, file], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], NODE_COMPILE_CACHE: cache },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  const said: readonly unknown[] = await Promise.race([once(lines, 'line'), ended])
  const url = said[0]
  if (typeof url !== 'string') throw new Error(`the server exited with ${String(url)}`)
  const readyMs = now() - spawnedAtMs
  const client = createHttpClient(url)
  return {
    ...client,
    readyMs,
    spawnedAtMs,
    async usage() {
      const { body } = await client.get('/usage')
      return JSON.parse(body) as Usage // as server.ts writes it
    },
    async stop() {
      await client.post('/stop', {})
      client.close()
      await ended
    },
  }
}
