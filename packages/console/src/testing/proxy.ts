import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy in front of a service, which can be made to fail. */
export interface Proxy extends AsyncDisposable {
  /** Where the service is for browsers. */
  readonly url: string
  lead(to: string): void
  /** What was asked for since it was read last, without what the browser asks of itself. */
  asked(): readonly string[]
  /** What was asked for outside of the path. */
  readonly strays: readonly string[]
  /**
   * From now on it answers so in place of the service; `null`: as the service does. What is open is cut.
   * `gone`: it closes connections without an answer.
   */
  fail(how: ((path: string) => { readonly status: number; readonly body: string } | null) | 'gone' | null): void
}

/** @param prefix Below which the service is; it is taken away on the way in. */
export async function startProxy(prefix = ''): Promise<Proxy> {
  let target = 0
  let how: Parameters<Proxy['fail']>[0] = null
  const strays: string[] = []
  let asked: string[] = []
  const serve = (incoming: IncomingMessage, answer: ServerResponse): void => {
    const { method, url = '', headers } = incoming
    if (!url.startsWith(`${prefix}/`)) {
      strays.push(url)
      return void answer.writeHead(404).end()
    }
    const path = url.slice(prefix.length)
    asked.push(`${method} ${path}`)
    if (how === 'gone') return void answer.destroy()
    const failure = how?.(path) ?? null
    if (failure !== null) {
      return void answer.writeHead(failure.status, { 'content-type': 'text/html' }).end(failure.body)
    }
    const sent = request({ method, port: target, path, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers)
      got.pipe(answer)
    })
    answer.on('close', () => sent.destroy())
    sent.on('error', () => answer.destroy())
    incoming.pipe(sent)
  }
  const server = createServer(serve)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  return {
    url: `http://127.0.0.1:${port}${prefix}`,
    lead: (to) => (target = Number(new URL(to).port)),
    asked() {
      const those = asked.filter((one) => !one.endsWith('/favicon.ico'))
      asked = []
      return those
    },
    strays,
    fail(next) {
      how = next
      server.closeAllConnections()
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
