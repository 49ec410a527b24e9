import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { readBytes } from '../kit/http.ts'
import { answerPageFile, SHARED_FILES } from '../kit/page/serve.ts'
import { sendCrashReply, listen } from '../kit/server.ts'
import { escapeHtml } from './reply.ts'
import type { EmulatedPerson } from './shape.ts'
import { FIRST_PERSON } from './state.ts'

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
type AskingFetch = (request: Request, ask: PersonAsk) => Promise<Response>

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
    handle(answer, url, message, response).catch((error: unknown) => sendCrashReply(response, error))
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

/** Field of the page's form: what the person answers. */
const ANSWER_FIELD = 'emulated_answer'
const PERSON_FIELD = 'emulated_person'

/** Others that the page offers besides whoever was set. */
const OTHERS: readonly EmulatedPerson[] = [
  FIRST_PERSON,
  {
    id: '2342',
    email: 'bo@people.example',
    emailVerified: false,
    username: 'bo',
    firstName: 'Bo',
    lastName: 'Bergström',
  },
  { id: '7331', email: null, emailVerified: false, username: 'cy', firstName: 'Cy', lastName: 'Cinar' },
]

const offered = (usual: EmulatedPerson): readonly EmulatedPerson[] => [
  usual,
  ...OTHERS.filter(({ id }) => id !== usual.id),
]

/** Who was chosen; `null` for no. */
function answerIn(usual: EmulatedPerson, form: URLSearchParams): EmulatedPerson | null {
  if (form.get(ANSWER_FIELD) !== 'allow') return null
  return offered(usual).find(({ id }) => id === form.get(PERSON_FIELD)) ?? usual
}

function choice({ id, email, emailVerified, firstName, lastName }: EmulatedPerson, index: number): string {
  const address = email === null ? 'no address' : `${email}, ${emailVerified ? 'verified' : 'not verified'}`
  return `<label class="choice"><input type="radio" name="${PERSON_FIELD}" value="${escapeHtml(id)}"${index === 0 ? ' checked' : ''}>
<span><strong>${escapeHtml(`${firstName} ${lastName}`)}</strong><small>${escapeHtml(address)}</small></span></label>`
}

/** Asks who signs in, and whether they want to. */
function askPage(provider: string, client: string, usual: EmulatedPerson): Response {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sign in: ${escapeHtml(provider)}, emulated</title>
<link rel="icon" href="/demo/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/demo/frame.css">
<link rel="stylesheet" href="/demo/ask.css">
</head>
<body>
<main class="ask">
<header class="brand"><span class="mark" aria-hidden="true"></span><div><h1>${escapeHtml(provider)}</h1><p>Emulated, local and offline</p></div></header>
<p><strong>${escapeHtml(client)}</strong> wants to know who you are.</p>
<form method="post">
<fieldset><legend>Sign in as</legend>${offered(usual).map(choice).join('')}</fieldset>
<div class="answers">
<button class="allow" name="${ANSWER_FIELD}" value="allow">Allow</button>
<button class="refuse" name="${ANSWER_FIELD}" value="refuse">Refuse</button>
</div>
</form>
</main>
</body>
</html>`
  return new Response(html, {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    },
  })
}
