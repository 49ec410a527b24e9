import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setImmediate as immediate } from 'node:timers/promises'
import { type EmulatorClock, systemClock } from '../kit/clock.ts'

/** A fault of one request. */
export type ChatModelFault =
  | AnswerFault
  /** Returns this status, with the usual error body around `message`, or with `body`. */
  | {
      readonly type: 'status'
      readonly status: number
      readonly message?: string
      readonly code?: string
      readonly body?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  /** The request gets no response. */
  | { readonly type: 'hang' }
  /** The connection is cut before the response. */
  | { readonly type: 'refuse' }

/** A request to the model. */
export interface ChatModelRequest {
  readonly path: string
  readonly authorization: string | null
  readonly model: string
  readonly stream: boolean
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}

/** Options of the emulator. */
export interface ChatModelOptions {
  /** Default: a free port. */
  readonly port?: number
  /** Requests without this bearer token get 401. Default: none required. */
  readonly apiKey?: string
  /** Requests for another model get 404. Default: any model. */
  readonly model?: string
  /** Generates the reply, in pieces. Default: quotes the user's last message. */
  readonly answer?: (request: ChatModelRequest) => readonly string[]
  /** Delay before each piece of a stream, in ms. Default 0. */
  readonly pieceMs?: number
  /** Clock for the delay. */
  readonly clock?: EmulatorClock
}

/** A running emulator. */
export interface ChatModelEmulator {
  /** E.g. `http://127.0.0.1:40000/v1`. */
  readonly baseUrl: string
  /** Oldest first. */
  readonly requests: readonly ChatModelRequest[]
  /** Resolves to the number of open connections. */
  connections(): Promise<number>
  /** Resolves once no connection is open. */
  idle(): Promise<void>
  /** Adds a fault for the next request; several apply in order. */
  fail(fault: ChatModelFault): void
  /** Resolves once `count` requests have arrived since the start. */
  received(count: number): Promise<void>
  close(): Promise<void>
}

/**
 * Starts an emulator of OpenAI's chat completions API on loopback: `POST /v1/chat/completions`, streamed or not, and
 * `GET /v1/models`.
 * @see OpenAI API reference, "Create chat completion" and "The chat completion chunk object"
 */
export async function startChatModelEmulator(options: ChatModelOptions = {}): Promise<ChatModelEmulator> {
  const requests: ChatModelRequest[] = []
  const faults: ChatModelFault[] = []
  const changed = new EventTarget()
  const server = createServer((request, response) => {
    const acceptRequest = (read: ChatModelRequest): ChatModelFault | undefined => {
      requests.push(read)
      changed.dispatchEvent(new Event('request'))
      return faults.shift()
    }
    handle(request, response, options, acceptRequest).catch(() => response.destroy())
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
  acceptRequest: (read: ChatModelRequest) => ChatModelFault | undefined,
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
  const fault = acceptRequest(read)
  if (options.model !== undefined && read.model !== options.model)
    return sendError(response, 404, `The model '${read.model}' does not exist.`, 'model_not_found')
  if (fault?.type === 'hang') return
  if (fault?.type === 'refuse') return void response.destroy()
  if (fault?.type === 'status') {
    const body = fault.body ?? errorBody(fault.message ?? 'Emulated failure.', fault.code ?? null)
    response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers }).end(body)
    return
  }
  const { answer = quoteLastMessage, pieceMs = 0, clock = systemClock } = options
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
  const body = toMembers(parse(text))
  const model = body.get('model')
  const messages = body.get('messages')
  if (typeof model !== 'string' || !Array.isArray(messages) || messages.length === 0) return null
  return {
    path,
    authorization,
    model,
    stream: body.get('stream') === true,
    messages: messages.map((message: unknown) => {
      const members = toMembers(message)
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

const toMembers = (value: unknown): ReadonlyMap<string, unknown> =>
  new Map<string, unknown>(typeof value === 'object' && value !== null ? Object.entries(value) : [])

/** Returns `You said: …`, one word per piece. */
const quoteLastMessage = (request: ChatModelRequest): readonly string[] =>
  `You said: ${lastUserText(request)}`.split(/(?<= )/)

/** Returns the texts of the user's messages, oldest first. */
export const userTexts = ({ messages }: ChatModelRequest): readonly string[] =>
  messages.filter(({ role }) => role === 'user').map(({ content }) => joinTexts(content))

/** Returns the text of the user's last message. */
export const lastUserText = (request: ChatModelRequest): string => userTexts(request).at(-1) ?? ''

function joinTexts(content: unknown): string {
  const texts: readonly unknown[] = Array.isArray(content)
    ? content.map((part) => toMembers(part).get('text'))
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

/** A fault of a streamed reply, after a number of pieces. */
type AnswerFault =
  /** Nothing more is sent; the connection stays open. */
  | { readonly type: 'stall'; readonly after: number }
  /** The connection is cut. */
  | { readonly type: 'drop'; readonly after: number }
  /** The stream ends properly, but without a finish reason and `[DONE]`. */
  | { readonly type: 'unfinished'; readonly after: number }
  /** An error object in the stream. */
  | { readonly type: 'error'; readonly after: number; readonly message: string; readonly code?: string }
  /** Sends these bytes. */
  | { readonly type: 'bytes'; readonly after: number; readonly bytes: Uint8Array }
  /** Repeats a piece endlessly, as fast as it is read. */
  | { readonly type: 'endless'; readonly piece: string }
  /** Sends one endless line, as fast as it is read. */
  | { readonly type: 'endless_line' }
  /** All pieces, then this finish reason, e.g. `length` or `content_filter`. */
  | { readonly type: 'finish'; readonly reason: string }
  /** The model declines, in the field `refusal`. */
  | { readonly type: 'refusal'; readonly text: string }
  /** Sends a whole reply of this media type instead of a stream. */
  | { readonly type: 'not_a_stream'; readonly mime: string }

interface Reply {
  readonly model: string
  readonly pieces: readonly string[]
  /** Waits between pieces of a stream. */
  pause(signal: AbortSignal): Promise<void>
}

/** Sends a reply, streamed or whole, with at most one fault. Resolves when it ends or the client disconnects. */
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
  if (fault?.type === 'endless') return writeEndlessly(response, chunk(reply, { content: fault.piece }, null))
  if (fault?.type === 'endless_line') return writeEndlessly(response, 'data: '.padEnd(64 * 1024, 'x'))
  const after = fault !== undefined && 'after' in fault ? fault.after : reply.pieces.length
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  for (const content of fault?.type === 'refusal' ? [] : reply.pieces.slice(0, after)) {
    await reply.pause(gone.signal)
    await write(response, chunk(reply, { content }, null))
  }
  await endStream(response, reply, fault)
}

async function endStream(response: ServerResponse, reply: Reply, fault: AnswerFault | undefined): Promise<void> {
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

async function writeEndlessly(response: ServerResponse, text: string): Promise<void> {
  const gone = once(response, 'close')
  while (!response.closed && !response.destroyed) {
    const drained = response.write(text) ? immediate() : once(response, 'drain')
    await Promise.race([drained, gone])
  }
}

/** Resolves when the text was flushed or the client disconnects. */
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
