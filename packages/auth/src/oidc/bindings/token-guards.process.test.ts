import { serve } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import type { Server } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import type { Auth } from '../../auth.ts'
import type { CheckedToken } from '../clients.ts'
import { timeText } from '../../kernel/schema/values.ts'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'
import type { User } from '../../kernel/users/user.ts'
import * as inExpress from './express.ts'
import * as inFastify from './fastify.ts'
import * as inHono from './hono.ts'
import { type Got, type HttpVisitor, httpVisitor } from '../../bindings/testing/http-visitor.ts'
import { type Served, startServer } from '../../bindings/testing/serve-http.ts'

/** `/notes` by method, `/either`, and `/tools` for tokens of one resource; each returns the token's owner. */
type Start = (auth: Auth) => Promise<Served>

const NOTES = { GET: 'notes:read', POST: ['notes:read', 'notes:write'] } as const
const EITHER = [['notes:write'], ['admin']] as const
const TOOLS = { resource: 'https://api.example.org/tools', audienceRequired: true, realm: 'Tools "here"' } as const

const describeToken = ({ client, user, scopes }: CheckedToken): string =>
  `${client.name}, ${user?.username ?? 'nobody'}: ${scopes.join(' ')}`

const serveOnHono: Start = (auth) => {
  const app = new Hono<inHono.TokenEnv>()
  app.all('/notes', inHono.TokenAuth(auth, NOTES), (c) => c.text(describeToken(c.var.accessToken)))
  app.get('/either', inHono.TokenAuth(auth, EITHER), (c) => c.text(describeToken(c.var.accessToken)))
  app.get('/tools', inHono.TokenAuth(auth, [], TOOLS), (c) => c.text(describeToken(c.var.accessToken)))
  // The library types its server for HTTP/2 too.
  return startServer(serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server)
}

const serveOnExpress: Start = (auth) => {
  const app = express()
  const tell: express.RequestHandler = (req, res) =>
    void res.type('text').send(describeToken(inExpress.accessTokenOf(req)))
  app.all('/notes', inExpress.TokenAuthentication(auth, NOTES), tell)
  app.get('/either', inExpress.TokenAuthentication(auth, EITHER), tell)
  app.get('/tools', inExpress.TokenAuthentication(auth, [], TOOLS), tell)
  return startServer(app.listen(0, '127.0.0.1'))
}

const serveOnFastify: Start = async (auth) => {
  const app = fastify()
  const tell = async (request: fastify.FastifyRequest): Promise<string> =>
    describeToken(inFastify.accessTokenOf(request))
  const method = ['GET', 'POST', 'DELETE']
  app.route({ method, url: '/notes', onRequest: inFastify.TokenAuthentication(auth, NOTES), handler: tell })
  app.get('/either', { onRequest: inFastify.TokenAuthentication(auth, EITHER) }, tell)
  app.get('/tools', { onRequest: inFastify.TokenAuthentication(auth, [], TOOLS) }, tell)
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { ...(await startServer(app.server)), close: () => app.close() }
}

let world: AuthWorld
let server: Served
let visitor: HttpVisitor
afterEach(async () => {
  await server.close()
  await world.close()
})

async function open(start: Start): Promise<User> {
  world = await authWorld({
    settings: { idpOidc: { enabled: true } },
    adapters: { oidc: { scopeDisplay: { 'notes:read': 'Read', 'notes:write': 'Write', admin: 'All' } } },
  })
  server = await start(world.auth)
  visitor = httpVisitor(server.origin)
  return world.addUser({ username: 'ada' })
}

/** An access token as an older site has stored it. */
async function insertAccessToken(
  value: string,
  scopes: string,
  userId: number | null,
  lifeMs = 60_000,
): Promise<string> {
  const { auth } = world
  const { db, dialect } = auth.kernel.database
  const known = (await auth.module('oidc').clients.list(db))[0]
  const may = ['openid', 'notes:read', 'notes:write', 'admin']
  const client = known ?? (await auth.module('oidc').clients.create(db, { name: 'Notebook', scopes: may })).client
  const now = auth.kernel.clock.now()
  const row = {
    type: 'at',
    hash: auth.module('oidc').adapter.hashToken(value),
    data: null,
    created_at: timeText(now, dialect),
    expires_at: timeText(now + lifeMs, dialect),
    scopes: scopes.replaceAll(' ', '\n'),
    client_id: client.id,
    user_id: userId,
  }
  await db.insertInto('allauth_idp_oidc_token').values(row).execute()
  return value
}

const send = (token: string, path = '/notes', method = 'GET'): Promise<Got> =>
  visitor.request(path, { method, headers: { authorization: `Bearer ${token}` } })
const readChallenge = ({ status, headers }: Got): string => `${status} ${headers.get('www-authenticate')}`

describe.each([
  ['Hono', serveOnHono],
  ['Express', serveOnExpress],
  ['Fastify', serveOnFastify],
] as const)('access tokens in %s', (_name, start) => {
  it("admit the token's user, by scope and method", async () => {
    const ada = await open(start)
    const reader = await insertAccessToken('made-up-reader', 'openid notes:read', Number(ada.id))
    const service = await insertAccessToken('made-up-service', 'notes:read notes:write', null)
    expect((await send(reader)).text).toBe('Notebook, ada: openid notes:read')
    expect((await send(service, '/notes', 'POST')).text).toBe('Notebook, nobody: notes:read notes:write')
    expect((await send(service, '/either')).status).toBe(200)
    const realm = `Bearer realm="${new URL(server.origin).host}"`
    const short = await send(reader, '/notes', 'POST')
    expect(readChallenge(short)).toBe(`403 ${realm}, error="insufficient_scope", scope="notes:read notes:write"`)
    expect([JSON.parse(short.text), short.headers.get('cache-control')]).toEqual([
      { code: 'insufficient_scope', message: expect.any(String) },
      'no-store',
    ])
    expect(readChallenge(await send(reader, '/either'))).toContain('403 Bearer realm=')
    expect(readChallenge(await send(service, '/notes', 'DELETE'))).toBe(`403 ${realm}, error="insufficient_scope"`)

    const invalid = `401 ${realm}, error="invalid_token", scope="notes:read"`
    expect(readChallenge(await send('made-up-unknown'))).toBe(invalid)
    expect(readChallenge(await visitor.get('/notes'))).toBe(`401 ${realm}, scope="notes:read"`)
    expect(readChallenge(await visitor.get(`/notes?access_token=${reader}`))).toBe(`401 ${realm}, scope="notes:read"`)
    for (const authorization of [reader, `Basic ${reader}`, `Bearer ${reader}, Bearer ${reader}`, 'Bearer']) {
      expect(readChallenge(await visitor.get('/notes', { authorization }))).toBe(`401 ${realm}, scope="notes:read"`)
    }
    const { auth } = world
    await auth.kernel.users.update(auth.kernel.database.db, ada.id, { isActive: false })
    expect(readChallenge(await send(reader))).toBe(invalid)
    world.clock.advance(60_000)
    expect((await send(service)).status).toBe(401)
  })

  it('are refused where they name no resource and must', async () => {
    await open(start)
    const token = await insertAccessToken('made-up-service', 'openid', null)
    expect(readChallenge(await send(token, '/tools'))).toBe(
      '401 Bearer realm="Tools \\"here\\"", error="invalid_token", ' +
        'resource_metadata="https://api.example.org/.well-known/oauth-protected-resource/tools"',
    )
  })
})
