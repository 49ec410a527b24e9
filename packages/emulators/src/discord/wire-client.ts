import { once } from 'node:events'
import { WebSocket } from 'ws'
import { isRecord, parseJson } from '../kit/http.ts'
import { type DiscordEmulator, type DiscordEmulatorOptions, startDiscordEmulator } from './emulator.ts'
import { DISCORD_BOT } from './state.ts'

type Fields = Readonly<Record<string, unknown>>

/** An emulator with plain HTTP and sockets, for tests. */
export interface Bench extends DiscordEmulator, AsyncDisposable {
  /** Calls the REST API. @param headers Default: those of a bot. */
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
  /** Opens a socket and waits for HELLO. */
  open(query?: string): Promise<Socket>
  /** Opens a socket, identifies and waits for READY. */
  identify(intents: number): Promise<Socket>
}
/** An HTTP response. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** JSON body; an array's items by index. */
  readonly body: Fields
}
/** A socket of the gateway. */
export interface Socket {
  /** Received frames without HELLO. */
  readonly frames: readonly Fields[]
  send(frame: unknown): void
  /** Resolves to the next frame. */
  next(): Promise<Fields>
  /** Resolves to the close code. */
  readonly closed: Promise<number>
  close(code: number): void
}

/** GUILDS, GUILD_MESSAGES, DIRECT_MESSAGES; without MESSAGE_CONTENT. */
export const UNPRIVILEGED = 4_609
/** The same with MESSAGE_CONTENT. */
export const ALL = 37_377

/** Starts an emulator. */
export async function openBench(options: DiscordEmulatorOptions = {}): Promise<Bench> {
  const emulator = await startDiscordEmulator(options)
  const open: Bench['open'] = (query = '?v=10&encoding=json') => openSocket(`${emulator.wsUrl}/${query}`)
  return {
    ...emulator,
    open,
    async call(method, path, body, headers = botHeaders) {
      const response = await fetch(`${emulator.apiUrl}/v10${path}`, {
        method,
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const value = parseJson(await response.text())
      const fields = isRecord(value) ? value : Array.isArray(value) ? Object.fromEntries(value.entries()) : {}
      return { status: response.status, headers: response.headers, body: fields }
    },
    async identify(intents) {
      const socket = await open()
      socket.send(identify(intents))
      await socket.next()
      return socket
    },
    [Symbol.asyncDispose]: () => emulator.close(),
  }
}

const botHeaders = { authorization: `Bot ${DISCORD_BOT.token}`, 'user-agent': 'DiscordBot (https://example.org, 1.0)' }

/** Returns an identify frame (op 2). */
export const identify = (intents: unknown, token: string = DISCORD_BOT.token): Fields => ({
  op: 2,
  d: { token, intents, properties: { os: 'linux', browser: 'test', device: 'test' } },
})

async function openSocket(url: string): Promise<Socket> {
  const socket = new WebSocket(url)
  const frames: Fields[] = []
  let asked = 1
  const arrived = new EventTarget()
  socket.on('message', (data: Buffer) => {
    const frame = parseJson(data.toString('utf8'))
    frames.push(isRecord(frame) ? frame : {})
    arrived.dispatchEvent(new Event('frame'))
  })
  const closed = new Promise<number>((resolve) => {
    socket.once('close', resolve)
  })
  if (frames.length === 0) await once(arrived, 'frame')
  return {
    get frames() {
      return frames.slice(1)
    },
    send: (frame) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    async next() {
      while (frames.length <= asked) await once(arrived, 'frame')
      return frames[asked++] ?? {}
    },
    closed,
    close: (code) => socket.close(code),
  }
}
