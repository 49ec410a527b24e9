import { afterEach, describe, expect, it } from 'vitest'
import type { Auth } from '../auth.ts'
import type { PageRoute } from '../kernel/http/route.ts'
import { type AuthWorld, authWorld } from '../testing/auth-world.ts'
import { httpVisitor } from './testing/http-visitor.ts'
import { hangUp, rawRequest } from './testing/raw-request.ts'
import type { Served } from './testing/serve-http.ts'
import type { StartServer } from './testing/servers.ts'

/** A promise and what fulfils it. */
const signal = (): { readonly came: Promise<void>; readonly come: () => void } => {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { came: promise, come: resolve }
}

const HEAD = 'GET /accounts/endless/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'
const REFUSED_OR_FOUND = /^HTTP\/1\.1 (200|30\d|4\d\d) /

/** Made by hand: a target, a method and headers that no client of ours would send. */
const odd: readonly [why: string, request: string][] = [
  ['a target with two slashes', 'GET //evil.example/accounts/login/ HTTP/1.1\r\nHost: 127.0.0.1'],
  ['an absolute target', 'GET http://127.0.0.1/accounts/login/ HTTP/1.1\r\nHost: 127.0.0.1'],
  ['an absolute target of another host', 'GET http://evil.example/accounts/login/ HTTP/1.1\r\nHost: evil.example'],
  ['a target for the server as such', 'OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1'],
  ['a broken escape', 'GET /accounts/%zz/%ff/ HTTP/1.1\r\nHost: 127.0.0.1'],
  ['a guarded page by a broken escape', 'GET /members/?a=%zz HTTP/1.1\r\nHost: 127.0.0.1'],
  ['steps upwards', 'GET /accounts/../../accounts/login/ HTTP/1.1\r\nHost: 127.0.0.1'],
  ['a method that fetch forbids', 'TRACE /accounts/login/ HTTP/1.1\r\nHost: 127.0.0.1'],
  ['a method of another protocol', 'PROPFIND /accounts/login/ HTTP/1.1\r\nHost: 127.0.0.1'],
  ['a GET with a body', 'GET /accounts/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 3\r\n\r\nabc'],
  ['a host that is none', 'GET /accounts/login/ HTTP/1.1\r\nHost: a/b@c'],
  ['another host', 'GET /accounts/login/ HTTP/1.1\r\nHost: evil.example'],
  ['no host at all', 'GET /accounts/login/ HTTP/1.0'],
  ['bytes in a header', 'GET /accounts/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: sessionid=\xff\xfe; =; a'],
  ['a form without a type', 'POST /accounts/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 3\r\n\r\nabc'],
]

/** What every binding bears: clients that leave, odd requests, failures of what it mounts. */
export function hardshipContract(name: string, start: StartServer): void {
  describe(`accounts in ${name} bear`, () => {
    hardships(start)
  })
}

function hardships(start: StartServer): void {
  let world: AuthWorld
  let server: Served
  afterEach(async () => {
    await server.close()
    await world.close()
  })
  const open = async (pages: readonly PageRoute[] = [], around: (auth: Auth) => Auth = (auth) => auth) => {
    world = await authWorld({ pages: () => pages })
    server = await start(around(world.auth))
  }
  const alive = async (): Promise<void> => {
    expect((await httpVisitor(server.origin).get('/')).text).toBe('{"user":null}')
  }

  it.each(odd)('%s', async (_why, request) => {
    await open()
    const [line = '', ...rest] = request.split('\r\n')
    const answer = await rawRequest(server.origin, [line, 'Connection: close', ...rest, '', ''].join('\r\n'))
    expect(answer).toMatch(REFUSED_OR_FOUND)
    expect(answer).not.toMatch(/^location: .*evil/im)
    await alive()
    expect(world.logged).toEqual([])
  })

  it('a client that leaves in the middle of its form', async () => {
    const arrived = signal()
    await open([], (auth) => ({
      ...auth,
      fetch(request, from) {
        arrived.come()
        return auth.fetch(request, from)
      },
    }))
    const head = 'POST /accounts/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5000\r\n'
    await hangUp(
      server.origin,
      `${head}Content-Type: application/x-www-form-urlencoded\r\n\r\nlogin=`,
      () => arrived.came,
    )
    await alive()
    expect(world.logged).toEqual([])
  })

  it("a client that disconnects before the response: the page's signal aborts", async () => {
    const [arrived, told] = [signal(), signal()]
    await open([
      {
        name: 'slow',
        path: 'endless/',
        access: 'anon',
        async GET({ raw }) {
          raw.signal.addEventListener('abort', told.come)
          arrived.come()
          await told.came
          return { kind: 'response', response: new Response('too late') }
        },
      },
    ])
    await hangUp(server.origin, HEAD, () => arrived.came)
    await told.came
    await alive()
    expect(world.logged).toEqual([])
  })

  it('a client that disconnects in the middle of the response: the stream is cancelled', async () => {
    const [arrived, cancelled] = [signal(), signal()]
    let asked = 0
    const chunk = new Uint8Array(64 * 1024)
    const endless = (): ReadableStream<Uint8Array> =>
      new ReadableStream({
        pull(controller) {
          asked++
          controller.enqueue(chunk)
          // Several buffers ahead of a client that reads nothing.
          if (asked === 5) arrived.come()
        },
        cancel: cancelled.come,
      })
    await open([
      {
        name: 'endless',
        path: 'endless/',
        access: 'anon',
        GET: async () => ({ kind: 'response', response: new Response(endless()) }),
      },
    ])
    await hangUp(server.origin, HEAD, () => arrived.came)
    await cancelled.came
    const before = asked
    await alive()
    expect(asked).toBe(before)
  })

  it('a failure of the pages: the host answers, and goes on', async () => {
    await open([], (auth) => ({ ...auth, fetch: () => Promise.reject(new Error('made up')) }))
    const got = await httpVisitor(server.origin).get('/accounts/login/')
    expect(got.status).toBe(500)
    await alive()
  })

  it('a failure to identify the caller', async () => {
    await open([], (auth) => ({ ...auth, identify: () => Promise.reject(new Error('made up')) }))
    const visitor = httpVisitor(server.origin)
    expect((await visitor.get('/')).status).toBe(500)
    expect((await visitor.get('/members/')).status).toBe(500)
    expect((await visitor.get('/accounts/login/')).status).toBe(200)
  })
}
