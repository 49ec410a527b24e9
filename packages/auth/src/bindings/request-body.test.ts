import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { afterEach, expect, it } from 'vitest'
import { requestBody } from './node-request.ts'
import { type Served, startServer } from './testing/serve-http.ts'

type Handler = (body: ReadableStream<Uint8Array>, incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>

const MEGABYTE = Buffer.alloc(1024 * 1024, 'a')
let server: Served
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
afterEach(async () => {
  agent.destroy()
  await server.close()
})

/** Answers GET by itself. */
async function open(handle: Handler): Promise<void> {
  const http = createServer((incoming, outgoing) => {
    if (incoming.method === 'GET') return void outgoing.end('next')
    handle(requestBody(incoming, outgoing), incoming, outgoing).catch((error: unknown) => {
      outgoing.end(String(error))
    })
  })
  server = await startServer(http.listen(0, '127.0.0.1'))
}

function send(method: 'GET' | 'POST', body?: Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(server.origin, { method, agent }, (answer) => {
      const chunks: Uint8Array[] = []
      answer.on('data', (chunk: Uint8Array) => void chunks.push(chunk))
      answer.on('end', () => resolve(Buffer.concat(chunks).toString()))
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

it('gives everything in its order', async () => {
  await open(async (body, _incoming, outgoing) => {
    outgoing.end(Buffer.from(await new Response(body).arrayBuffer()))
  })
  const sent = Buffer.from(Array.from({ length: 300_000 }, (_each, at) => at % 251))
  expect(await send('POST', sent)).toBe(sent.toString())
})

it('reads nothing before it is asked', async () => {
  await open(async (body, incoming, outgoing) => {
    await new Promise((resolve) => setImmediate(resolve))
    const before = incoming.readableDidRead
    await new Response(body).arrayBuffer()
    outgoing.end(`${before} ${incoming.readableDidRead}`)
  })
  expect(await send('POST', MEGABYTE)).toBe('false true')
})

it('discards the rest of a cancelled body, even before there is a response', async () => {
  await open(async (body, incoming, outgoing) => {
    const ended = once(incoming, 'end')
    const reader = body.getReader()
    await reader.read()
    await reader.cancel()
    await ended
    outgoing.end('enough')
  })
  expect(await send('POST', MEGABYTE)).toBe('enough')
})

it('throws the rest away when the answer is out: the connection takes the next request', async () => {
  await open(async (body, _incoming, outgoing) => {
    await body.getReader().read()
    outgoing.end('enough')
  })
  expect(await send('POST', Buffer.concat(Array.from({ length: 20 }, () => MEGABYTE)))).toBe('enough')
  expect(await send('GET')).toBe('next')
})

it('fails when the rest cannot come any more', async () => {
  let failed: unknown = null
  let over = (): void => {}
  const done = new Promise<void>((resolve) => (over = resolve))
  await open(async (body, incoming) => {
    incoming.destroy()
    failed = await new Response(body).arrayBuffer().catch((error: unknown) => error)
    over()
  })
  await Promise.allSettled([send('POST', MEGABYTE), done])
  expect(failed).toEqual(new Error('The client went away.'))
})

it('fails at once when the client has gone before', async () => {
  let failed: unknown = null
  let over = (): void => {}
  const done = new Promise<void>((resolve) => (over = resolve))
  const http = createServer((incoming, outgoing) => {
    incoming.once('close', () => {
      void new Response(requestBody(incoming, outgoing))
        .arrayBuffer()
        .catch((error: unknown) => (failed = error))
        .then(over)
    })
    incoming.destroy()
  })
  server = await startServer(http.listen(0, '127.0.0.1'))
  await Promise.allSettled([send('POST', MEGABYTE), done])
  expect(failed).toEqual(new Error('The client went away.'))
})
