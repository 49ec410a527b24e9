import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy in front of the service that can be made to fail. */
export interface Proxy extends AsyncDisposable {
  /** The URL for browsers. */
  readonly url: string
  forwardTo(to: string): void
  /** Returns the requests since the last call, except those for the favicon. */
  takeRequests(): readonly string[]
  /** Returns the number of requests without a response yet. */
  pending(): number
  /** Paths of requests outside the prefix. */
  readonly strayRequests: readonly string[]
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
  const strayRequests: string[] = []
  let requests: string[] = []
  const pending = new Set<object>()
  const serve = (incoming: IncomingMessage, answer: ServerResponse): void => {
    const { method, url = '', headers } = incoming
    if (!url.startsWith(`${prefix}/`)) {
      strayRequests.push(url)
      return void answer.writeHead(404).end()
    }
    const path = url.slice(prefix.length)
    requests.push(`${method} ${path}`)
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
    forwardTo: (to) => (target = Number(new URL(to).port)),
    takeRequests() {
      const those = requests.filter((one) => !one.endsWith('/favicon.ico'))
      requests = []
      return those
    },
    pending: () => pending.size,
    strayRequests,
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
