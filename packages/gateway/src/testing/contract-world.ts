import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_BOT, startTelegramEmulator, type TelegramControl } from '@gatepost/emulators'
import { expect } from 'vitest'
import { runCli, type CliRun, type RunOptions } from '../cli/testing/test-io.ts'
import { type GatewayProcess, startGatewayProcess } from './crash/gateway-process.ts'

/** A request as `curl` would send it: hosts, missing headers and bodies that are no JSON as they are given. */
export interface Asked {
  readonly method?: string
  readonly path: string
  /** Instead of or besides the owner's bearer and `Content-Type`; `undefined` leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Sent as JSON, a string as it is. */
  readonly body?: unknown
}

export interface Answered {
  readonly status: number
  /** Parsed when it is JSON, else the text. */
  readonly body: unknown
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** One real process of the service, and the emulator that it takes for Telegram. */
export interface ContractWorld extends AsyncDisposable {
  readonly telegram: TelegramControl
  /** Another Bot API server, which knows nobody, and the paths that it was asked for. */
  readonly elsewhere: { readonly url: string; readonly asked: readonly string[] }
  /** Of the owner's credentials. */
  readonly channelFile: string
  readonly database: string
  readonly gateway: () => GatewayProcess
  ask(asked: Asked): Promise<Answered>
  /** A command line against this server; `typed` makes it a person's. */
  cli(argv: readonly string[], options?: RunOptions): Promise<CliRun>
  /** The answer has this status, and exactly the members of an error; no token stands in it. */
  expectRefused(asked: Asked, status: number, code: string, error?: unknown): Promise<void>
  /** Telegram's element of the list of channels. */
  entry(): Promise<unknown>
  /** The texts that the bot shows in a chat, oldest first. */
  shown(chatId: number): Promise<readonly string[]>
  /** SIGKILL, and a new process on the same folder. */
  killAndStart(): Promise<void>
}

export const LIST = '/api/channels'
export const TELEGRAM = '/api/channels/telegram'
export const SEND = '/api/channels/telegram/send'
export const TOKEN: string = DEFAULT_BOT.token
export const ANN = { id: 42, first_name: 'Ann' } as const
export const BO = { id: 43, first_name: 'Bo' } as const

export const containing = (text: string): unknown => expect.stringContaining(text)
export const refusal = (code: string, error: unknown = expect.stringMatching(/\S/)): unknown => ({
  ok: false,
  error,
  code,
})

export async function contractWorld(): Promise<ContractWorld> {
  const emulator = await startTelegramEmulator()
  const elsewhere = await startElsewhere()
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-contract-'))
  const dataDir = join(folder, 'data')
  const settings = { GATEPOST_DATA_DIR: dataDir, GATEPOST_PORT: '0', GATEPOST_TELEGRAM_API_URL: emulator.url }
  let gateway = startGatewayProcess(settings)
  let url = await gateway.ready
  const token = (await readFile(join(dataDir, 'api-token'), 'utf8')).trim()
  return {
    telegram: emulator.control,
    elsewhere,
    channelFile: join(dataDir, 'accounts', 'owner', 'channels.yml'),
    database: join(dataDir, 'gatepost.db'),
    gateway: () => gateway,
    ask: (asked) => ask(url, token, asked),
    cli: (argv, options = {}) =>
      runCli(argv, {
        now: Date.now(),
        ...options,
        url,
        env: { GATEPOST_TOKEN: token, GATEPOST_DATA_DIR: dataDir, ...options.env },
      }),
    async expectRefused(asked, status, code, error) {
      const answer = await ask(url, token, asked)
      expect([answer.status, answer.body]).toEqual([status, refusal(code, error)])
      expect(JSON.stringify(answer)).not.toContain(TOKEN)
    },
    async entry() {
      const { body } = await ask(url, token, { path: LIST })
      // the first test of the contract holds it to this shape
      return (body as { channels: { platform: string }[] }).channels.find(({ platform }) => platform === 'telegram')
    },
    shown: async (chatId) => (await emulator.control.sent({ chatId, limit: 1000 })).map(({ text }) => text),
    async killAndStart() {
      await gateway.kill()
      gateway = startGatewayProcess(settings)
      url = await gateway.ready
    },
    async [Symbol.asyncDispose]() {
      await gateway.kill()
      await emulator.close()
      elsewhere.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function startElsewhere(): Promise<{ url: string; asked: string[]; close: () => void }> {
  const asked: string[] = []
  const server = createServer(({ url = '' }, response) => {
    asked.push(url)
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ok: false, error_code: 401, description: 'Not here' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // a TCP server has an address with a port
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, asked, close: () => void server.close() }
}

function ask(url: string, token: string, { method, path, headers, body }: Asked): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>()
  const all = {
    authorization: `Bearer ${token}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  }
  const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
  const req = request(
    url + path,
    { method: method ?? (body === undefined ? 'GET' : 'POST'), headers: sent },
    (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: parseInput(text) }),
      )
    },
  )
  req.on('error', reject)
  req.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body))
  return promise
}

function parseInput(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
