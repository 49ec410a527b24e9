import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy in front of the service that can be made to fail. */
export interface Proxy extends AsyncDisposable {
  /** The URL for browsers. */
  readonly url: string
  lead(to: string): void
  /** Requests since the last call, without the browser's own. */
  asked(): readonly string[]
  /** Requests that the service hasn't begun to answer. */
  pending(): number
  /** Requests outside the prefix. */
  readonly strays: readonly string[]
  /**
   * Replaces the service's responses and cuts open connections; `null` restores them.
   * `gone` closes connections without a response.
   */
  fail(how: ((path: string) => { readonly status: number; readonly body: string } | null) | 'gone' | null): void
}

/** Starts a proxy. @param prefix Path prefix, removed before forwarding. */
export async function startProxy(prefix = ''): Promise<Proxy> {
  let target = 0
  let how: Parameters<Proxy['fail']>[0] = null
  const strays: string[] = []
  let asked: string[] = []
  const pending = new Set<object>()
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
    const unanswered = {}
    pending.add(unanswered)
    const sent = request({ method, port: target, path, headers }, (got) => {
      pending.delete(unanswered)
      answer.writeHead(got.statusCode ?? 502, got.headers)
      got.pipe(answer)
    })
    answer.on('close', () => {
      pending.delete(unanswered)
      sent.destroy()
    })
    sent.on('error', () => answer.destroy())
    incoming.pipe(sent)
  }
  const server = createServer(serve)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // listening on a port
  return {
    url: `http://127.0.0.1:${port}${prefix}`,
    lead: (to) => (target = Number(new URL(to).port)),
    asked() {
      const those = asked.filter((one) => !one.endsWith('/favicon.ico'))
      asked = []
      return those
    },
    pending: () => pending.size,
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
