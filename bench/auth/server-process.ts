import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { now } from '../gateway/clock.ts'
import { type Client, httpClient } from './http-client.ts'

const SERVER = fileURLToPath(new URL('server.ts', import.meta.url))

/** A server of the bench. */
export interface Server extends Client {
  /** From the start of its process until it listens, ms. */
  readonly readyMs: number
  readonly spawnedAtMs: number
  usage(): Promise<Usage>
  stop(): Promise<void>
}

export interface Usage {
  readonly cpuMicros: number
  readonly residentBytes: number
}

export interface ServerOptions {
  /** Folder of the compile cache, as a service that was started before has one. */
  readonly cache: string
  /** Folder for a processor profile; `null`: none. */
  readonly profile?: string | null
}

/** @param kind `floor`: one prepared select; `auth`: the package. */
export async function startServer(kind: 'floor' | 'auth', file: string, options: ServerOptions): Promise<Server> {
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
  if (typeof url !== 'string') throw new Error(`the server ended with ${String(url)}`)
  const readyMs = now() - spawnedAtMs
  const client = httpClient(url)
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
