import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setImmediate as immediate } from 'node:timers/promises'
import { type EmulatorClock, systemClock } from '../kit/clock.ts'

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

/** What goes wrong with a streamed answer. `after`: how many pieces come before it. */
type AnswerFault =
  /** Silence; the connection stays open. */
  | { readonly type: 'stall'; readonly after: number }
  /** The connection is cut. */
  | { readonly type: 'drop'; readonly after: number }
  /** The stream ends properly, but without a finish reason and `[DONE]`. */
  | { readonly type: 'unfinished'; readonly after: number }
  /** An error object in the stream. */
  | { readonly type: 'error'; readonly after: number; readonly message: string; readonly code?: string }
  /** These bytes as they are. */
  | { readonly type: 'bytes'; readonly after: number; readonly bytes: Uint8Array }
  /** The same piece for ever, as fast as it is read. */
  | { readonly type: 'endless'; readonly piece: string }
  /** One line that never ends, as fast as it is read. */
  | { readonly type: 'endless_line' }
  /** All pieces, then this finish reason, e.g. `length` or `content_filter`. */
  | { readonly type: 'finish'; readonly reason: string }
  /** The model declines, in the member made for it. */
  | { readonly type: 'refusal'; readonly text: string }
  /** A whole answer of this media type instead of a stream. */
  | { readonly type: 'not_a_stream'; readonly mime: string }

interface Reply {
  readonly model: string
  readonly pieces: readonly string[]
  /** Between two pieces of a stream. */
  pause(signal: AbortSignal): Promise<void>
}

/** Sends a reply, streamed or whole, with at most one fault. Resolves when it has ended or the client has gone. */
async function sendAnswer(
  response: ServerResponse,
  reply: Reply,
  streamed: boolean,
  fault: AnswerFault | undefined,
): Promise<void> {
  if (!streamed || fault?.type === 'not_a_stream') {
    response.writeHead(200, { 'content-type': fault?.type === 'not_a_stream' ? fault.mime : 'application/json' })
    response.end(JSON.stringify(completion(reply)))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  await write(response, chunk(reply, { role: 'assistant', content: '' }, null))
  if (fault?.type === 'endless') return forEver(response, chunk(reply, { content: fault.piece }, null))
  if (fault?.type === 'endless_line') return forEver(response, 'data: '.padEnd(64 * 1024, 'x'))
  const after = fault !== undefined && 'after' in fault ? fault.after : reply.pieces.length
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  for (const content of fault?.type === 'refusal' ? [] : reply.pieces.slice(0, after)) {
    await reply.pause(gone.signal)
    await write(response, chunk(reply, { content }, null))
  }
  await end(response, reply, fault)
}

async function end(response: ServerResponse, reply: Reply, fault: AnswerFault | undefined): Promise<void> {
  switch (fault?.type) {
    case 'stall':
      return
    case 'drop':
      response.destroy()
      return
    case 'unfinished':
      response.end()
      return
    case 'error': {
      const error = { message: fault.message, type: 'server_error', param: null, code: fault.code ?? null }
      response.end(`data: ${JSON.stringify({ error })}\n\n`)
      return
    }
    case 'bytes':
      response.end(fault.bytes)
      return
    case 'refusal':
      await write(response, chunk(reply, { refusal: fault.text }, null))
      break
    case 'endless':
    case 'endless_line':
    case 'finish':
    case 'not_a_stream':
    case undefined:
  }
  await write(response, chunk(reply, {}, fault?.type === 'finish' ? fault.reason : 'stop'))
  response.end('data: [DONE]\n\n')
}

function completion({ model, pieces }: Reply): unknown {
  return {
    id: 'chatcmpl-emulated',
    object: 'chat.completion',
    created: 0,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: pieces.join('') }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 0, completion_tokens: pieces.length, total_tokens: pieces.length },
  }
}

function chunk({ model }: Reply, delta: Readonly<Record<string, string>>, finishReason: string | null): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }]
  const value = { id: 'chatcmpl-emulated', object: 'chat.completion.chunk', created: 0, model, choices }
  return `data: ${JSON.stringify(value)}\n\n`
}

async function forEver(response: ServerResponse, text: string): Promise<void> {
  const gone = once(response, 'close')
  while (!response.closed && !response.destroyed) {
    const drained = response.write(text) ? immediate() : once(response, 'drain')
    await Promise.race([drained, gone])
  }
}

/** Resolves when the text has been handed to the network, or the client has gone. */
const write = (response: ServerResponse, text: string): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      response.off('close', done)
      resolve()
    }
    response.once('close', done)
    if (response.closed || response.destroyed) done()
    else response.write(text, done)
  })
