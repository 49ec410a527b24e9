import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { now } from '../machine.ts'

/** A baseline program in its own process. */
export interface Peer {
  readonly pid: number
  /** From its start to its first output, ms. */
  readonly readyMs: number
  stop(): Promise<void>
}

/** The smallest HTTP server on the same framework. */
const EMPTY_SERVER = `
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
const app = new Hono()
app.get('/healthz', (c) => c.json({ ok: true }))
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => console.log('ready'))
`

/** The smallest bot that replies to every message. It stores nothing. */
const BARE_BOT = `
const call = async (method, body) => {
  const response = await fetch(process.argv[1] + '/' + method, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
  })
  return (await response.json()).result
}
let offset = 0
await call('getUpdates', { timeout: 0 })
console.log('ready')
for (;;) {
  const updates = await call('getUpdates', { timeout: 25, limit: 100, offset })
  for (const { update_id, message } of updates) {
    offset = update_id + 1
    void call('sendMessage', { chat_id: message.chat.id, text: 'You said:\\n\\n> ' + message.text })
  }
}
`

export const startEmptyServer = (): Promise<Peer> => startScript(EMPTY_SERVER, [])

export const startBareBot = (platform: { readonly url: string; readonly token: string }): Promise<Peer> =>
  startScript(BARE_BOT, [`${platform.url}/bot${platform.token}`])

/** Measures how long Node itself takes to start and exit, ms. */
export async function measureBareNode(): Promise<number> {
  const beganAtMs = now()
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit')
  return now() - beganAtMs
}

async function startScript(source: string, args: readonly string[]): Promise<Peer> {
  const beganAtMs = now()
  const child = spawn(process.execPath, ['--input-type=module', '-e', source, ...args], {
    // so that the gateway's dependencies resolve
    cwd: fileURLToPath(new URL('../../packages/gateway', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  await untilFirstOutput(child)
  return {
    pid: child.pid ?? 0,
    readyMs: now() - beganAtMs,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

function untilFirstOutput(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', () => resolve())
    child.once('exit', (code) => reject(new Error(`a baseline process exited with ${code}`)))
  })
}
