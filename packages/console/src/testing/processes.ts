import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const ROOT = join(import.meta.dirname, '..', '..', '..', '..')
const PROGRAM = join(ROOT, 'packages', 'gateway', 'bin', 'run.cjs')

/** The service as a separate process with its own data folder. */
export interface GatepostProcess extends AsyncDisposable {
  /** Its URL without a trailing slash. */
  readonly url: string
  /** The link that creates the first account. */
  readonly firstLink: string
  readonly dataDir: string
  /** Lines written to stderr so far. */
  readonly log: readonly string[]
  /** Calls the API with the owner token. @throws {Error} unless the status is a success */
  call(method: string, path: string, body?: unknown): Promise<unknown>
}

/**
 * Builds the console if needed and starts the service.
 * @param settings Environment besides the data folder and a free port.
 */
export async function startGatepost(settings: Readonly<Record<string, string>> = {}): Promise<GatepostProcess> {
  buildConsole()
  const dataDir = await mkdtemp(join(tmpdir(), 'gatepost-console-'))
  const env = {
    PATH: process.env['PATH'],
    HOME: dataDir,
    GATEPOST_DATA_DIR: dataDir,
    GATEPOST_PORT: '0',
    ...settings,
  }
  const child = spawn(process.execPath, [PROGRAM, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit')
  const log: string[] = []
  const ready = Promise.withResolvers<string>()
  createInterface({ input: child.stderr }).on('line', (line) => {
    log.push(line)
    const found = /"url":"([^"]+)".*"msg":"Gatepost is ready"/.exec(line)?.[1]
    if (found !== undefined) ready.resolve(found)
  })
  const first = Promise.withResolvers<string>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const found = /first account.*: (http\S+)$/.exec(line)?.[1]
    if (found !== undefined) first.resolve(found)
  })
  void ended.then(() => {
    const error = new Error(`Gatepost exited before it was ready:\n${log.join('\n')}`)
    ready.reject(error)
    first.reject(error)
  })
  first.promise.catch(() => {}) // reported by `url`
  const url = await ready.promise
  const firstLink = await first.promise
  const token = (await readFile(join(dataDir, 'api-token'), 'utf8')).trim()
  return {
    url,
    firstLink,
    dataDir,
    log,
    call: (method, path, body) => callApi(`${url}${path}`, token, method, body),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await ended
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Builds the console unless the build is up to date. */
export function buildConsole(): void {
  const built = spawnSync(process.execPath, [join(ROOT, 'scripts', 'build-console.cjs')], { encoding: 'utf8' })
  if (built.status !== 0) throw new Error(`Couldn't build the console:\n${built.stderr}`)
}

async function callApi(address: string, token: string, method: string, body: unknown): Promise<unknown> {
  const response = await fetch(address, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${address}: ${response.status} ${text}`)
  return JSON.parse(text)
}

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
  void ended.then(() => found.reject(new Error('The demo exited before it was ready.')))
  const link = await found.promise
  return {
    link,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGINT')
      await ended
    },
  }
}
