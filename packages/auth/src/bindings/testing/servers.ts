import { serve } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import type { Server } from 'node:http'
import type { Auth } from '../../auth.ts'
import * as inExpress from '../express.ts'
import * as inFastify from '../fastify.ts'
import * as inHono from '../hono.ts'
import { type Served, startServer } from './serve-http.ts'

/**
 * A host application with the accounts. If verification is mandatory, it applies to all pages but `/members/`. Own
 * pages: `/` shows the caller; `/members/`, `/verified/`, `/fresh/`, `/fresh-post/` (GET passes) and `/staff/` are
 * guarded and greet the user; `POST /api/notes` takes `{ note }` with the CSRF header and returns `{ user, note }`.
 */
export type StartServer = (auth: Auth) => Promise<Served>

const OPEN = ['/members/']

const greeting = (username: string): string => `Hello ${username}`

export const startHono: StartServer = (auth) => {
  const app = new Hono<inHono.AccountsEnv>()
  app.use(inHono.accounts(auth))
  app.use(inHono.redirectUnverified(auth, { allow: OPEN }))
  app.get('/', (c) => c.json({ user: c.var.identity?.user.username ?? null }))
  app.get('/members/', inHono.loginRequired(auth), (c) => c.text(greeting(c.var.identity.user.username)))
  app.get('/verified/', inHono.verifiedEmailRequired(auth), (c) => c.text(greeting(c.var.identity.user.username)))
  app.get('/fresh/', inHono.reauthenticationRequired(auth), (c) => c.text(greeting(c.var.identity.user.username)))
  app.get('/fresh-post/', inHono.reauthenticationRequired(auth, { allowGet: true }), (c) =>
    c.text(greeting(c.var.identity.user.username)),
  )
  app.get('/staff/', inHono.staffRequired(auth), (c) => c.text(greeting(c.var.identity.user.username)))
  app.post('/api/notes', inHono.loginRequired(auth), inHono.csrfProtected(auth), async (c) => {
    const { note } = await c.req.json<{ note: string }>()
    return c.json({ user: c.var.identity.user.username, note })
  })
  app.onError((_error, c) => c.text('failed', 500))
  // The library types its server for HTTP/2 too.
  return startServer(serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server)
}

export const startExpress: StartServer = (auth) => {
  const app = express()
  app.use(inExpress.accounts(auth))
  app.use(inExpress.redirectUnverified(auth, { allow: OPEN }))
  const greet: express.RequestHandler = (req, res) => {
    res.type('text').send(greeting(inExpress.identityOf(req).user.username))
  }
  app.get('/', (req, res) => void res.json({ user: req.identity?.user.username ?? null }))
  app.get('/members/', inExpress.loginRequired(auth), greet)
  app.get('/verified/', inExpress.verifiedEmailRequired(auth), greet)
  app.get('/fresh/', inExpress.reauthenticationRequired(auth), greet)
  app.get('/fresh-post/', inExpress.reauthenticationRequired(auth, { allowGet: true }), greet)
  app.get('/staff/', inExpress.staffRequired(auth), greet)
  app.post(
    '/api/notes',
    inExpress.loginRequired(auth),
    inExpress.csrfProtected(auth),
    express.json(),
    (req: express.Request<object, unknown, { note: string }>, res) =>
      void res.json({ user: inExpress.identityOf(req).user.username, note: req.body.note }),
  )
  const failed: express.ErrorRequestHandler = (_error, _req, res, next) => {
    if (res.headersSent) next(_error)
    else res.status(500).send('failed')
  }
  app.use(failed)
  return startServer(app.listen(0, '127.0.0.1'))
}

export const startFastify: StartServer = async (auth) => {
  const app = fastify()
  await app.register(inFastify.accounts(auth))
  app.addHook('onRequest', inFastify.redirectUnverified(auth, { allow: OPEN }))
  const greet = async (request: fastify.FastifyRequest): Promise<string> =>
    greeting(inFastify.identityOf(request).user.username)
  app.get('/', async (request) => ({ user: request.identity?.user.username ?? null }))
  app.get('/members/', { preHandler: inFastify.loginRequired(auth) }, greet)
  app.get('/verified/', { preHandler: inFastify.verifiedEmailRequired(auth) }, greet)
  app.get('/fresh/', { preHandler: inFastify.reauthenticationRequired(auth) }, greet)
  app.get('/fresh-post/', { onRequest: inFastify.reauthenticationRequired(auth, { allowGet: true }) }, greet)
  app.get('/staff/', { preHandler: inFastify.staffRequired(auth) }, greet)
  app.post<{ Body: { note: string } }>(
    '/api/notes',
    { onRequest: [inFastify.loginRequired(auth), inFastify.csrfProtected(auth)] },
    async (request) => ({ user: inFastify.identityOf(request).user.username, note: request.body.note }),
  )
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { ...(await startServer(app.server)), close: () => app.close() }
}
