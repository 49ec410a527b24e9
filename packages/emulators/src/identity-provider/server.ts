import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { readBytes } from '../kit/body.ts'
import { answerCrash, listen } from '../kit/listen.ts'
import { answerPageFile, SHARED_FILES } from '../kit/page/serve.ts'
import type { Ask } from './answer.ts'
import { ANSWER_FIELD, answerIn, askPage } from './ask-page.ts'
import { answerRequest, type SeenRequest } from './requests.ts'
import type { State } from './state.ts'

const PAGE_FILES = { ...SHARED_FILES, 'ask.css': new URL('ask.css', import.meta.url) }

/** Who signs in: a browser is shown a page, any other program is sent on at once. */
function askOver(state: State, request: Request, body: Buffer): Ask {
  const form = new URLSearchParams(request.method === 'POST' ? body.toString() : '')
  if (form.has(ANSWER_FIELD)) return () => Promise.resolve(answerIn(state, form))
  const isBrowser = (request.headers.get('accept') ?? '').includes('text/html')
  return (call) => Promise.resolve(isBrowser ? askPage(state, call) : state.person)
}

function requestOf(message: IncomingMessage, url: string, body: Buffer, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(message.headersDistinct))
    for (const each of value ?? []) headers.append(name, each)
  const method = message.method ?? 'GET'
  const hasBody = method !== 'GET' && method !== 'HEAD' && body.length > 0
  return new Request(url, { method, headers, signal, ...(hasBody ? { body: new Uint8Array(body) } : {}) })
}

async function send(reply: Response, response: ServerResponse): Promise<void> {
  response.writeHead(reply.status, Object.fromEntries(reply.headers))
  response.end(Buffer.from(await reply.arrayBuffer()))
}

async function handle(
  state: State,
  seen: SeenRequest[],
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = message.url ?? '/'
  if (path.startsWith('/demo/')) return answerPageFile(PAGE_FILES, message, response)
  const body = await readBytes(message)
  if (body === null) return void response.writeHead(413).end()
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const request = requestOf(message, `${state.servedAt ?? ''}${path}`, body, gone.signal)
  const ask = askOver(state, request, body)
  try {
    await send(await answerRequest(state, seen, request, ask), response)
  } catch (error) {
    // Faults that break the connection, or the client went first.
    if (gone.signal.aborted || (error instanceof TypeError && error.message === 'fetch failed'))
      return void response.destroy()
    throw error
  }
}

/** Serves the providers of `state` on loopback. Rejects when the port is taken. */
export async function serveIdentityProviders(
  state: State,
  seen: SeenRequest[],
  port: number,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((message, response) => {
    handle(state, seen, message, response).catch((error: unknown) => answerCrash(response, error))
  })
  await listen(server, port)
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}`
  state.servedAt = url
  return {
    url,
    async close() {
      state.servedAt = null
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
