import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pause } from './talkers.ts'

/** An assistant over HTTP that says back what was said last, after a while, so that turns can be killed half-way. */
export async function startSlowAssistant(random: () => number): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    // the shape is the one that docs/assistants.md promises
    const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as { messages: { role: string; text: string }[] }
    const since = messages.findLastIndex(({ role }) => role === 'assistant') + 1
    const text = messages.slice(since).map((message) => message.text)
    await pause(random() * 150)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ text: text.join('\n') }))
  })
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
