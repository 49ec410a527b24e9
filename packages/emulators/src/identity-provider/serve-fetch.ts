import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { readBytes } from '../kit/body.ts'
import { answerCrash, listen } from '../kit/listen.ts'
import { answerPageFile, SHARED_FILES } from '../kit/page/serve.ts'
import { ANSWER_FIELD, answerIn, askPage } from './ask-page.ts'
import type { EmulatedPerson } from './shape.ts'

/** Asks who signs in at `provider` for `client`: a person, `null` for no, or a page that asks. */
export type PersonAsk = (
  provider: string,
  client: string,
  usual: EmulatedPerson,
) => Promise<EmulatedPerson | null | Response>

/** Something served on loopback. */
export interface Served {
  readonly url: string
  close(): Promise<void>
}

/** Answers requests; those for people ask. */
export type AskingFetch = (request: Request, ask: PersonAsk) => Promise<Response>

const PAGE_FILES = { ...SHARED_FILES, 'ask.css': new URL('ask.css', import.meta.url) }

/** A browser is shown a page, any other program is sent on at once. */
function askOver(request: Request, body: Buffer): PersonAsk {
  const form = new URLSearchParams(request.method === 'POST' ? body.toString() : '')
  if (form.has(ANSWER_FIELD)) return (_provider, _client, usual) => Promise.resolve(answerIn(usual, form))
  const isBrowser = (request.headers.get('accept') ?? '').includes('text/html')
  return (provider, client, usual) => Promise.resolve(isBrowser ? askPage(provider, client, usual) : usual)
}

function requestOf(message: IncomingMessage, url: string, body: Buffer, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(message.headersDistinct)) {
    for (const each of value ?? []) headers.append(name, each)
  }
  const method = message.method ?? 'GET'
  const hasBody = method !== 'GET' && method !== 'HEAD' && body.length > 0
  return new Request(url, { method, headers, signal, ...(hasBody ? { body: new Uint8Array(body) } : {}) })
}

async function handle(
  answer: AskingFetch,
  base: string,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = message.url ?? '/'
  if (path.startsWith('/demo/')) return answerPageFile(PAGE_FILES, message, response)
  const body = await readBytes(message)
  if (body === null) return void response.writeHead(413).end()
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const request = requestOf(message, `${base}${path}`, body, gone.signal)
  try {
    const reply = await answer(request, askOver(request, body))
    response.writeHead(reply.status, Object.fromEntries(reply.headers))
    response.end(Buffer.from(await reply.arrayBuffer()))
  } catch (error) {
    // A fault that breaks the connection, or the client went first.
    if (gone.signal.aborted || (error instanceof TypeError && error.message === 'fetch failed'))
      return void response.destroy()
    throw error
  }
}

/** Serves on loopback. Rejects when the port is taken. */
export async function serveFetch(port: number, answer: AskingFetch): Promise<Served> {
  const server = createServer((message, response) => {
    handle(answer, url, message, response).catch((error: unknown) => answerCrash(response, error))
  })
  await listen(server, port)
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}`
  return {
    url,
    close() {
      server.closeAllConnections()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
