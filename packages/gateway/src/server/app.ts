import type { AppContext, AppEnv, AppOptions } from './app-options.ts'
import { SCOPES } from './authentication.ts'
import { GatewayError } from './errors.ts'
import { eventStream } from './event-stream.ts'
import { failureAnswer } from './failure.ts'
import { checkHost, checkOrigin, securityHeaders } from './guard.ts'
import { healthRoutes } from './health.ts'
import { pageRoutes } from './pages.ts'
import { checkDeclaredSize, parsed, queryOf, readJson } from './request-body.ts'
import { weixinQrRoutes } from './weixin-qr.ts'
import type { Route } from '@gatepost/channels'
import { Hono } from 'hono'
import { z } from 'zod'

/** The HTTP surface of the gateway. @throws {Error} for a route that names no scope: it must not be served */
export function createApp(options: AppOptions): Hono<AppEnv> {
  const app = new Hono<AppEnv>({ strict: true })
  useFrame(app, options)
  healthRoutes(app, options)
  pageRoutes(app, options.document)
  weixinQrRoutes(app, options.setups, () => options.clock.now())
  for (const route of options.routes) {
    if (!SCOPES.has(route.scope)) throw new Error(`The route ${route.method} ${route.path} names no known scope.`)
    app.on(route.method, honoPath(route.path), (c) => handle(c, route, options))
  }
  app.notFound((c) => fail(c, unroutable(app, c), options))
  app.onError((error, c) => fail(c, error, options))
  return app
}

const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

/** What surrounds every request, found or not. */
function useFrame(app: Hono<AppEnv>, options: AppOptions): void {
  const headers = securityHeaders(options.addresses)
  app.use(async (c, next) => {
    const startedAtMs = options.clock.now()
    c.set('requestId', options.newId())
    c.set('routeId', 'none')
    await next()
    const answer = c.res.headers
    answer.set('x-request-id', c.get('requestId'))
    for (const [name, value] of headers) if (!answer.has(name)) answer.set(name, value)
    const tookMs = options.clock.now() - startedAtMs
    options.figures.count(c.get('routeId'), c.res.status, tookMs)
    options.log.debug('Request', {
      request_id: c.get('requestId'),
      method: c.req.method,
      path: c.req.path,
      status: c.res.status,
      ms: tookMs,
    })
  })
  app.use(async (c, next) => {
    checkHost(c.req.raw, options.addresses)
    checkOrigin(c.req.raw, options.addresses)
    checkDeclaredSize(c.req.raw)
    await next()
  })
}

const NO_QUERY = z.strictObject({})

async function handle(c: AppContext, route: Route, options: AppOptions): Promise<Response> {
  c.set('routeId', route.id)
  const authorization = c.req.header('authorization')
  const caller = options.authenticate(authorization)
  if (caller === null) throw unauthorized(authorization !== undefined)
  if (!caller.scopes.has(route.scope)) throw new GatewayError('scope_missing')
  const { principal } = caller
  const body = route.body === undefined ? undefined : await readBody(c.req.raw, route.body)
  const query = parsed(route.query ?? NO_QUERY, queryOf(c.req.url), 'invalid_query')
  const params = c.req.param()
  if (route.stream === true) {
    return streamAnswer(c, options, async (signal) => {
      const answer = await route.handle({ principal, params, query, body, signal })
      if (!('events' in answer)) throw new Error(`${route.id} answers no events`)
      return answer.events
    })
  }
  const gone = c.req.raw.signal
  const signal = route.waits === true ? AbortSignal.any([gone, options.stopping]) : gone
  const answer = await route.handle({ principal, params, query, body, signal })
  if ('events' in answer) throw new Error(`${route.id} is not declared as a stream`)
  return jsonResponse(answer.body, answer.status, answer.headers)
}

async function readBody(request: Request, body: NonNullable<Route['body']>): Promise<unknown> {
  const value = await readJson(request, body.optional === true)
  return value === undefined ? undefined : parsed(body.schema, value, 'invalid_body')
}

const unauthorized = (given: boolean): GatewayError =>
  new GatewayError('unauthorized', {
    headers: { 'www-authenticate': `Bearer realm="gatepost"${given ? ', error="invalid_token"' : ''}` },
  })

function streamAnswer(
  c: AppContext,
  options: AppOptions,
  events: (signal: AbortSignal) => Promise<AsyncIterable<{ readonly type: string }>>,
): Response {
  if (options.stopping.aborted) throw new GatewayError('stopping')
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' }
  if (c.req.method === 'HEAD') return new Response(null, { headers })
  const { clock, log, stopping } = options
  return new Response(eventStream({ events, stopping, clock, log, drop: () => c.env.outgoing.destroy() }), { headers })
}

function jsonResponse(body: unknown, status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
  })
}

function fail(c: AppContext, error: Error, options: AppOptions): Response {
  const answer = failureAnswer(error, c.get('requestId'))
  if (answer.unexpected) {
    const { method, path } = c.req
    options.log.error('A request failed', { request_id: c.get('requestId'), method, path, error })
  }
  return jsonResponse(answer.body, answer.status, answer.headers)
}

/** Nothing here takes this method, or nothing is here at all. */
function unroutable(app: Hono<AppEnv>, c: AppContext): GatewayError {
  const methods = new Set<string>()
  for (const { method, path } of app.routes) {
    if (method !== 'ALL' && matches(path, c.req.path)) methods.add(method)
  }
  if (methods.has('GET')) methods.add('HEAD')
  if (methods.size === 0) return new GatewayError('not_found')
  return new GatewayError('method_not_allowed', { headers: { allow: [...methods].toSorted().join(', ') } })
}

function matches(pattern: string, path: string): boolean {
  const expected = pattern.split('/')
  const given = path.split('/')
  return (
    expected.length === given.length &&
    expected.every((part, index) => (part.startsWith(':') ? given[index] !== '' : part === given[index]))
  )
}
