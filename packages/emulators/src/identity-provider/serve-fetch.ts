import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { readBytes } from '../kit/http.ts'
import { answerPageFile, SHARED_FILES } from '../kit/page/serve.ts'
import { sendCrashReply, listen } from '../kit/server.ts'
import { escapeHtml } from './reply.ts'
import type { EmulatedPerson } from './shape.ts'
import { FIRST_PERSON } from './state.ts'

/** Asks who signs in at `provider` for `client`. Resolves to a person, `null` for a refusal, or a page that asks. */
export type PersonAsk = (
  provider: string,
  client: string,
  usual: EmulatedPerson,
) => Promise<EmulatedPerson | null | Response>

/** A server on loopback. */
export interface Served {
  readonly url: string
  close(): Promise<void>
}

/** Handles requests; those for people ask. */
type AskingFetch = (request: Request, ask: PersonAsk) => Promise<Response>

const PAGE_FILES = { ...SHARED_FILES, 'ask.css': new URL('ask.css', import.meta.url) }

/** Returns how to ask: browsers get a page, other programs continue immediately. */
function createAsk(request: Request, body: Buffer): PersonAsk {
  const form = new URLSearchParams(request.method === 'POST' ? body.toString() : '')
  if (form.has(ANSWER_FIELD)) return (_provider, _client, usual) => Promise.resolve(parseAnswer(usual, form))
  const isBrowser = (request.headers.get('accept') ?? '').includes('text/html')
  const isChinese = /^\s*zh\b/i.test(request.headers.get('accept-language') ?? '')
  const texts = TEXTS[isChinese ? 'zh' : 'en']
  return (provider, client, usual) => Promise.resolve(isBrowser ? askPage(texts, provider, client, usual) : usual)
}

function toRequest(message: IncomingMessage, url: string, body: Buffer, signal: AbortSignal): Request {
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
  const request = toRequest(message, `${base}${path}`, body, gone.signal)
  try {
    const reply = await answer(request, createAsk(request, body))
    response.writeHead(reply.status, Object.fromEntries(reply.headers))
    response.end(Buffer.from(await reply.arrayBuffer()))
  } catch (error) {
    // a fault that drops the connection, or the client disconnected
    if (gone.signal.aborted || (error instanceof TypeError && error.message === 'fetch failed'))
      return void response.destroy()
    throw error
  }
}

/** Serves requests on loopback. Rejects when the port is taken. */
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

/** Form field with the person's decision. */
const ANSWER_FIELD = 'emulated_answer'
const PERSON_FIELD = 'emulated_person'

/** People that the page offers besides the current person. */
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

const listPeople = (usual: EmulatedPerson): readonly EmulatedPerson[] => [
  usual,
  ...OTHERS.filter(({ id }) => id !== usual.id),
]

/** Returns the selected person, or `null` for a refusal. */
function parseAnswer(usual: EmulatedPerson, form: URLSearchParams): EmulatedPerson | null {
  if (form.get(ANSWER_FIELD) !== 'allow') return null
  return listPeople(usual).find(({ id }) => id === form.get(PERSON_FIELD)) ?? usual
}

const TEXTS = {
  en: {
    tag: 'en',
    title: (provider: string) => `Sign in: ${provider} (emulated)`,
    subtitle: 'Emulated, local and offline',
    request: (client: string) => `<strong>${client}</strong> wants to know who you are.`,
    signInAs: 'Sign in as',
    allow: 'Allow',
    decline: 'Refuse',
    noEmail: 'no email',
    email: (address: string, verified: boolean) => `${address}, ${verified ? 'verified' : 'not verified'}`,
  },
  zh: {
    tag: 'zh-CN',
    title: (provider: string) => `登录 ${provider}（模拟）`,
    subtitle: '本地模拟，无需联网',
    request: (client: string) => `<strong>${client}</strong> 请求获取你的身份信息。`,
    signInAs: '选择登录身份',
    allow: '同意',
    decline: '拒绝',
    noEmail: '无邮箱',
    email: (address: string, verified: boolean) => `${address}（${verified ? '已验证' : '未验证'}）`,
  },
} as const

type Texts = (typeof TEXTS)[keyof typeof TEXTS]

function choiceHtml(
  { noEmail, email: emailText }: Texts,
  { id, email, emailVerified, firstName, lastName }: EmulatedPerson,
  index: number,
): string {
  const address = email === null ? noEmail : emailText(email, emailVerified)
  return `<label class="choice"><input type="radio" name="${PERSON_FIELD}" value="${escapeHtml(id)}"${index === 0 ? ' checked' : ''}>
<span><strong>${escapeHtml(`${firstName} ${lastName}`)}</strong><small>${escapeHtml(address)}</small></span></label>`
}

/** Returns the page that asks who signs in. */
function askPage(texts: Texts, provider: string, client: string, usual: EmulatedPerson): Response {
  const choices = listPeople(usual).map((person, index) => choiceHtml(texts, person, index))
  const html = `<!doctype html>
<html lang="${texts.tag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(texts.title(provider))}</title>
<link rel="icon" href="/demo/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/demo/frame.css">
<link rel="stylesheet" href="/demo/ask.css">
</head>
<body>
<main class="ask">
<header class="brand"><span class="mark" aria-hidden="true"></span><div><h1>${escapeHtml(provider)}</h1><p>${texts.subtitle}</p></div></header>
<p>${texts.request(escapeHtml(client))}</p>
<form method="post">
<fieldset><legend>${texts.signInAs}</legend>${choices.join('')}</fieldset>
<div class="answers">
<button class="allow" name="${ANSWER_FIELD}" value="allow">${texts.allow}</button>
<button class="refuse" name="${ANSWER_FIELD}" value="refuse">${texts.decline}</button>
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
