import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { pause } from './talkers.ts'

async function answer(request: IncomingMessage, response: ServerResponse, afterMs: number): Promise<void> {
  // the shape is the one that docs/assistants.md promises
  const { messages } = (await json(request)) as { messages: { role: string; text: string }[] }
  const since = messages.findLastIndex(({ role }) => role === 'assistant') + 1
  const text = messages.slice(since).map((message) => message.text)
  await pause(afterMs)
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ text: text.join('\n') }))
}

/** An assistant over HTTP that says back what was said last, after a while, so that turns can be killed half-way. */
export async function startSlowAssistant(random: () => number): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => void answer(request, response, random() * 150))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // a TCP server has an address with a port
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
