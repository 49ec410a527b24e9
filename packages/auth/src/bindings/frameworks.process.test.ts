import { serve } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import type { Auth } from '../auth.ts'
import { type AuthWorld, authWorld } from '../testing/auth-world.ts'
import * as inExpress from './express.ts'
import * as inFastify from './fastify.ts'
import * as inHono from './hono.ts'
import { type HttpVisitor, httpVisitor } from './testing/http-visitor.ts'
import { hangUp } from './testing/raw-request.ts'
import { type Served, startServer } from './testing/serve-http.ts'

const PASSWORD = 'a made-up pass phrase'
const ADA = { login: 'ada@example.org', password: PASSWORD }
const ACCOUNT = { loginMethods: ['email'], signupFields: ['email*', 'password1*'] } as const

let world: AuthWorld
let server: Served | null = null
afterEach(async () => {
  await server?.close()
  server = null
  await world.close()
})

async function open(pathPrefix = '/accounts/'): Promise<Auth> {
  world = await authWorld({ settings: { pathPrefix, loginRedirectUrl: '/', account: ACCOUNT } })
  await world.addUser({ username: 'ada', email: 'ada@example.org', password: PASSWORD })
  return world.auth
}
const listen = async (app: express.Express): Promise<HttpVisitor> => {
  server = await startServer(createServer(app).listen(0, '127.0.0.1'))
  return httpVisitor(server.origin)
}

describe('Express', () => {
  const whoami: express.RequestHandler = (req, res) => void res.send(req.identity?.user.username ?? 'nobody')

  it.each([
    ['forms', express.urlencoded({ extended: false }), null],
    ['nested forms', express.urlencoded({ extended: true }), null],
    ['JSON', express.json(), 'application/json'],
    ['bytes', express.raw({ type: '*/*' }), null],
    ['text', express.text({ type: '*/*' }), null],
  ])('takes what a parser of %s has left', async (_why, parser, json) => {
    const auth = await open()
    const app = express().use(parser).use(inExpress.accounts(auth)).get('/', whoami)
    const ada = await listen(app)
    await ada.get('/accounts/login/')
    const csrfmiddlewaretoken = ada.cookies.get('csrftoken') ?? ''
    if (json === null) await ada.post('/accounts/login/', ADA)
    else {
      const body = JSON.stringify({ ...ADA, csrfmiddlewaretoken })
      await ada.request('/accounts/login/', { method: 'POST', body, headers: { 'content-type': json } })
    }
    expect((await ada.get('/')).text).toBe('ada')
  })

  it('refuses JSON that is nested beyond what can be written down again', async () => {
    const auth = await open()
    const ada = await listen(express().use(express.json()).use(inExpress.accounts(auth)).get('/', whoami))
    const headers = { 'content-type': 'application/json' }
    const body = `{"login":${'['.repeat(40_000)}${']'.repeat(40_000)}}`
    expect((await ada.request('/accounts/login/', { method: 'POST', body, headers })).status).toBe(400)
    expect((await ada.get('/')).text).toBe('nobody')
  })

  it('reports that a middleware consumed the form', async () => {
    const auth = await open()
    const messages: string[] = []
    const failed: express.ErrorRequestHandler = (error, _req, res, _next) => {
      messages.push(error instanceof Error ? error.message : '')
      res.status(500).end()
    }
    const swallow: express.RequestHandler = (req, _res, next) => void req.resume().once('end', () => next())
    const ada = await listen(express().use(swallow).use(inExpress.accounts(auth)).use(failed))
    expect((await ada.post('/accounts/login/', ADA)).status).toBe(500)
    expect(messages).toEqual([expect.stringContaining('was read before')])
  })

  it('serves below a prefix, and guards there lead back there', async () => {
    const auth = await open('/app/accounts/')
    const inner = express.Router().use(inExpress.accounts(auth))
    inner.get('/members/:id', inExpress.loginRequired(auth), (req, res) => {
      res.send(`${inExpress.identityOf(req).user.username} ${req.params.id}`)
    })
    const app = express().use('/app', inner)
    await listen(app)
    const ada = httpVisitor(server?.origin ?? '', '/app/accounts/')
    const sent = await ada.get('/app/members/7')
    expect(sent.location).toBe('/app/accounts/login/?next=/app/members/7')
    expect((await ada.post(sent.location ?? '', ADA)).location).toBe('/app/members/7')
    expect((await ada.get('/app/members/7')).text).toBe('ada 7')
  })

  it('keeps what the host has set on the answer', async () => {
    const auth = await open()
    const before: express.RequestHandler = (_req, res, next) => {
      res.append('Set-Cookie', 'theme=dark').vary('Origin')
      next()
    }
    const ada = await listen(express().use(before).use(inExpress.accounts(auth)))
    const { headers } = await ada.get('/accounts/login/')
    expect(headers.getSetCookie()).toEqual(['theme=dark', expect.stringContaining('csrftoken=')])
    expect(headers.get('vary')).toBe('Origin, Cookie, Accept-Language')
  })

  it('does not trouble the host with clients that leave in the middle of an answer', async () => {
    const auth = await open()
    const [arrived, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const endless = (): ReadableStream<Uint8Array> =>
      new ReadableStream({
        pull(controller) {
          controller.enqueue(new Uint8Array(64 * 1024))
          arrived.resolve()
        },
      })
    const errors: unknown[] = []
    const failed: express.ErrorRequestHandler = (error, _req, _res, _next) => void errors.push(error)
    const handler = inExpress.accounts({ ...auth, fetch: async () => new Response(endless()) })
    const app = express().use((req, res, next) => handler(req, res, next).finally(left.resolve))
    await listen(app.use(failed))
    const head = 'GET /accounts/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'
    await hangUp(server?.origin ?? '', head, () => arrived.promise)
    await left.promise
    await httpVisitor(server?.origin ?? '').get('/')
    expect(errors).toEqual([])
  })

  it('does not take the caller of one package for the caller of another', async () => {
    const auth = await open()
    const other = await authWorld({ settings: { pathPrefix: '/other/', account: ACCOUNT } })
    const app = express().use(inExpress.accounts(auth)).use(inExpress.accounts(other.auth))
    app.get('/members/', inExpress.loginRequired(other.auth), whoami)
    const ada = await listen(app)
    await ada.post('/accounts/login/', ADA)
    expect((await ada.get('/members/')).location).toBe('/other/login/?next=/members/')
    await other.close()
  })
})

describe('Hono', () => {
  const start = async (app: Hono<inHono.AccountsEnv>): Promise<HttpVisitor> => {
    // The library types its server for HTTP/2 too.
    server = await startServer(serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server)
    return httpVisitor(server.origin)
  }

  it.each([
    ['parses forms', 'parseBody'],
    ['reads text', 'text'],
  ] as const)('takes the form after a middleware that %s', async (_why, method) => {
    const auth = await open()
    const app = new Hono<inHono.AccountsEnv>()
    app.use(async (c, next) => {
      await c.req[method]()
      await next()
    })
    app.use(inHono.accounts(auth))
    app.get('/', (c) => c.text(c.var.identity?.user.username ?? 'nobody'))
    const ada = await start(app)
    await ada.post('/accounts/login/', ADA)
    expect((await ada.get('/')).text).toBe('ada')
  })

  it('serves below a prefix, and leaves the body to the host', async () => {
    const auth = await open('/app/accounts/')
    const inner = new Hono<inHono.AccountsEnv>()
    inner.use(inHono.accounts(auth))
    inner.post('/echo', inHono.verifiedEmailRequired(auth), async (c) => c.text(await c.req.text()))
    await start(new Hono<inHono.AccountsEnv>().route('/app', inner))
    const ada = httpVisitor(server?.origin ?? '', '/app/accounts/')
    expect((await ada.get('/app/echo')).status).toBe(404)
    await ada.post('/app/accounts/login/', ADA)
    expect((await ada.post('/app/echo', { note: 'milk' })).text).toContain('note=milk')
  })

  it('knows no IP address without a socket, unless one is passed', async () => {
    const auth = await open()
    const heard: (string | null)[] = []
    const spied: Auth = {
      ...auth,
      async fetch(_request, from) {
        heard.push(from?.remoteAddress ?? null)
        return new Response()
      },
    }
    await new Hono().use(inHono.accounts(spied)).request('/accounts/login/')
    await new Hono().use(inHono.accounts(spied, { remoteAddress: () => '192.0.2.7' })).request('/accounts/login/')
    expect(heard).toEqual([null, '192.0.2.7'])
  })
})

describe('Fastify', () => {
  it('has the pages and the caller everywhere, without a socket too', async () => {
    const auth = await open()
    const app = fastify()
    await app.register(inFastify.accounts(auth))
    await app.register(
      async (inner) => {
        inner.setNotFoundHandler(async (request) => `nothing for ${request.identity?.user.username ?? 'nobody'}`)
        inner.get<{ Params: { id: string } }>(
          '/:id',
          { preHandler: inFastify.loginRequired(auth) },
          async (request) => `${inFastify.identityOf(request).user.username} ${request.params.id}`,
        )
      },
      { prefix: '/members' },
    )
    const page = await app.inject('/accounts/login/')
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    const csrf = page.cookies.find(({ name }) => name === 'csrftoken')?.value ?? ''
    const signedIn = await app.inject({
      method: 'POST',
      url: '/accounts/login/',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      cookies: { csrftoken: csrf },
      payload: new URLSearchParams({ ...ADA, csrfmiddlewaretoken: csrf }).toString(),
    })
    const cookies = Object.fromEntries(signedIn.cookies.map(({ name, value }) => [name, value]))
    expect((await app.inject({ url: '/members/7', cookies })).body).toBe('ada 7')
    expect((await app.inject({ url: '/members/a/b', cookies })).body).toBe('nothing for ada')
    expect((await app.inject('/members/7')).headers.location).toBe('/accounts/login/?next=/members/7')
    await app.close()
  })

  it('serves HTTP/2', async () => {
    const auth = await open()
    let aborted = false
    const spied: Auth = {
      ...auth,
      fetch(request, from) {
        request.signal.addEventListener('abort', () => (aborted = true))
        return auth.fetch(request, from)
      },
    }
    const app = fastify({ http2: true })
    await app.register(inFastify.accounts(spied))
    app.get('/', async (request) => request.identity?.user.username ?? 'nobody')
    const client = connect(await app.listen({ port: 0, host: '127.0.0.1' }))
    const ask = async (headers: OutgoingHttpHeaders, body = ''): Promise<readonly [IncomingHttpHeaders, string]> => {
      const stream = client.request(headers)
      if (body !== '') stream.end(body)
      // The first argument of the event.
      const [answer] = (await once(stream, 'response')) as [IncomingHttpHeaders]
      return [answer, await text(stream)]
    }
    const [page] = await ask({ ':path': '/accounts/login/' })
    expect(page[':status']).toBe(200)
    const csrf = /csrftoken=(\w+)/.exec(String(page['set-cookie']))?.[1] ?? ''
    const [answer] = await ask(
      {
        ':path': '/accounts/login/',
        ':method': 'POST',
        'content-type': 'application/x-www-form-urlencoded',
        cookie: `csrftoken=${csrf}`,
      },
      new URLSearchParams({ ...ADA, csrfmiddlewaretoken: csrf }).toString(),
    )
    expect([answer[':status'], answer['location']]).toEqual([302, '/'])
    const session = /sessionid=[^;]+/.exec(String(answer['set-cookie']))?.[0] ?? ''
    expect((await ask({ ':path': '/', cookie: session }))[1]).toBe('ada')
    expect(aborted).toBe(false)
    client.close()
    await app.close()
  })

  it('lets plugins see the pages', async () => {
    const auth = await open()
    const app = fastify()
    app.addHook('onRequest', async (_request, reply) => void reply.header('x-own', 'kept'))
    await app.register(inFastify.accounts(auth))
    const page = await app.inject('/accounts/login/')
    expect([page.headers['x-own'], page.headers['x-frame-options']]).toEqual(['kept', 'DENY'])
    await app.close()
  })

  it('refuses to be registered below a prefix, where it would see no request', async () => {
    const auth = await open()
    const app = fastify()
    app.register(async (inner) => inner.register(inFastify.accounts(auth)), { prefix: '/app' })
    await expect(app.ready()).rejects.toThrow('Register the accounts on the root')
  })
})
