import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type EmulatorClock, systemClock } from '../kit/clock.ts'
import { type AnswerFault, type Reply, sendAnswer } from './answer.ts'

/** What goes wrong with a request; every other one is answered. */
export type ChatModelFault =
  | AnswerFault
  /** This status, with an error body in the usual shape around `message`, or with `body` as it is. */
  | {
      readonly type: 'status'
      readonly status: number
      readonly message?: string
      readonly code?: string
      readonly body?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  /** The request is taken and never answered. */
  | { readonly type: 'hang' }
  /** The connection is cut before an answer. */
  | { readonly type: 'refuse' }

/** A request that reached the model. */
export interface ChatModelRequest {
  readonly path: string
  readonly authorization: string | null
  readonly model: string
  readonly stream: boolean
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}

export interface ChatModelOptions {
  /** Default: a free port. */
  readonly port?: number
  /** Requests without this bearer token get 401. Default: any request is taken. */
  readonly apiKey?: string
  /** Requests for another model get 404. Default: any model. */
  readonly model?: string
  /** Writes the answer, in pieces. Default: quotes the last message of the user. */
  readonly answer?: (request: ChatModelRequest) => readonly string[]
  /** Waits before every piece of a stream, ms. Default 0. */
  readonly pieceMs?: number
  /** Who tells the time that passes between pieces. */
  readonly clock?: EmulatorClock
}

export interface ChatModelEmulator {
  /** E.g. `http://127.0.0.1:40000/v1`. */
  readonly baseUrl: string
  /** Oldest first. */
  readonly requests: readonly ChatModelRequest[]
  /** Connections that are open now. */
  connections(): Promise<number>
  /** Resolves once no connection is open. */
  idle(): Promise<void>
  /** The next request fails like this; several wait in line. */
  fail(fault: ChatModelFault): void
  /** Resolves once `count` requests have come since the start. */
  received(count: number): Promise<void>
  close(): Promise<void>
}

/**
 * A stand-in for an endpoint of OpenAI's chat completions, on loopback: `POST /v1/chat/completions`, streamed or not,
 * and `GET /v1/models`.
 * @see OpenAI API reference, "Create chat completion" and "The chat completion chunk object"
 */
export async function startChatModelEmulator(options: ChatModelOptions = {}): Promise<ChatModelEmulator> {
  const requests: ChatModelRequest[] = []
  const faults: ChatModelFault[] = []
  const changed = new EventTarget()
  const server = createServer((request, response) => {
    const taken = (read: ChatModelRequest): ChatModelFault | undefined => {
      requests.push(read)
      changed.dispatchEvent(new Event('request'))
      return faults.shift()
    }
    handle(request, response, options, taken).catch(() => response.destroy())
  })
  server.on('connection', (socket) => socket.on('close', () => changed.dispatchEvent(new Event('closed'))))
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined

  const connections = (): Promise<number> =>
    new Promise((resolve, reject) => {
      server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
    })
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    connections,
    async idle() {
      while ((await connections()) > 0) {
        server.closeIdleConnections()
        if ((await connections()) > 0) await once(changed, 'closed')
      }
    },
    fail: (fault) => void faults.push(fault),
    async received(count) {
      while (requests.length < count) await once(changed, 'request')
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  options: ChatModelOptions,
  taken: (read: ChatModelRequest) => ChatModelFault | undefined,
): Promise<void> {
  const path = request.url ?? ''
  if (options.apiKey !== undefined && request.headers.authorization !== `Bearer ${options.apiKey}`)
    return sendError(response, 401, 'Incorrect API key provided.', 'invalid_api_key')
  if (request.method === 'GET' && path === '/v1/models')
    return sendJson(response, 200, {
      object: 'list',
      data: [{ id: options.model ?? 'emulated', object: 'model', created: 0, owned_by: 'emulator' }],
    })
  if (request.method !== 'POST' || path !== '/v1/chat/completions')
    return sendError(response, 404, 'Unknown request URL.', 'unknown_url')

  const read = readRequest(path, request.headers.authorization ?? null, await bodyText(request))
  if (read === null) return sendError(response, 400, 'We could not parse the JSON body of your request.', null)
  const fault = taken(read)
  if (options.model !== undefined && read.model !== options.model)
    return sendError(response, 404, `The model '${read.model}' does not exist.`, 'model_not_found')
  if (fault?.type === 'hang') return
  if (fault?.type === 'refuse') return void response.destroy()
  if (fault?.type === 'status') {
    const body = fault.body ?? errorBody(fault.message ?? 'Emulated failure.', fault.code ?? null)
    response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers }).end(body)
    return
  }
  const { answer = quoteLast, pieceMs = 0, clock = systemClock } = options
  const pause = (signal: AbortSignal): Promise<void> =>
    pieceMs === 0 ? Promise.resolve() : clock.sleep(pieceMs, signal)
  const reply: Reply = { model: read.model, pieces: answer(read), pause }
  await sendAnswer(response, reply, read.stream, fault)
}

async function bodyText(request: IncomingMessage): Promise<string> {
  const chunks = await Array.fromAsync(request, (chunk: Buffer) => chunk)
  return Buffer.concat(chunks).toString()
}

function readRequest(path: string, authorization: string | null, text: string): ChatModelRequest | null {
  const body = membersOf(parse(text))
  const model = body.get('model')
  const messages = body.get('messages')
  if (typeof model !== 'string' || !Array.isArray(messages) || messages.length === 0) return null
  return {
    path,
    authorization,
    model,
    stream: body.get('stream') === true,
    messages: messages.map((message: unknown) => {
      const members = membersOf(message)
      return { role: String(members.get('role')), content: members.get('content') }
    }),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const membersOf = (value: unknown): ReadonlyMap<string, unknown> =>
  new Map<string, unknown>(typeof value === 'object' && value !== null ? Object.entries(value) : [])

/** `You said: …`, a word a piece. */
const quoteLast = (request: ChatModelRequest): readonly string[] => `You said: ${lastWords(request)}`.split(/(?<= )/)

/** What the user said last. */
export function lastWords({ messages }: ChatModelRequest): string {
  const content = messages.findLast(({ role }) => role === 'user')?.content
  const texts: readonly unknown[] = Array.isArray(content)
    ? content.map((part) => membersOf(part).get('text'))
    : [content]
  return texts.filter((text) => typeof text === 'string').join(' ')
}

const errorBody = (message: string, code: string | null): string =>
  JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code } })

function sendError(response: ServerResponse, status: number, message: string, code: string | null): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(errorBody(message, code))
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}
