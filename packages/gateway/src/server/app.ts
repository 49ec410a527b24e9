import { Hono } from 'hono'
import { getPath } from 'hono/utils/url'
import { SCOPES } from '../accounts/caller.ts'
import { isLoopback } from '../config/forms.ts'
import { belowMount, toMount } from '../config/public-url.ts'
import { consoleRoutes } from '../console/console-routes.ts'
import { mcpRoutes } from '../mcp/mcp-routes.ts'
import { answerRoute, jsonResponse } from './api-call.ts'
import { type AppContext, type AppEnv, type AppOptions, getRemoteAddress } from './app-options.ts'
import { GatewayError } from './errors.ts'
import { failureAnswer } from './failure.ts'
import { checkHost, checkOrigin, securityHeaders } from './guard.ts'
import { pageRoutes } from './pages.ts'
import { checkDeclaredSize } from './request-body.ts'
import { weixinQrRoutes } from './weixin-qr.ts'

/** Creates the HTTP app. @throws {Error} for a route without a scope, which must not be served */
export function createApp(options: AppOptions): Hono<AppEnv> {
  const mount = toMount(options.addresses.publicUrl)
  // A proxy may keep or strip its path prefix.
  const app = new Hono<AppEnv>({ strict: true, getPath: (request) => belowMount(mount, getPath(request)) })
  useFrame(app, options)
  healthRoutes(app, options)
  if (mount !== '') app.get(mount, (c) => c.redirect(`${mount}/`))
  leadToSetUp(app, options)
  consoleRoutes(app, options.consoleFiles)
  pageRoutes(app, options.document)
  mcpRoutes(app, options)
  weixinQrRoutes(app, options.setups, () => options.clock.now())
  for (const route of options.routes) {
    if (!SCOPES.has(route.scope)) throw new Error(`The route ${route.method} ${route.path} names no known scope.`)
    app.on(route.method, honoPath(route.path), (c) => answerRoute(c, route, options))
  }
  app.all('*', (c, next) => {
    const { accountPages } = options
    if (!accountPages.handles(c.req.path)) return next()
    c.set('routeId', accountPages.isApi(c.req.path) ? ACCOUNT_API : ACCOUNT_PAGES)
    return accountPages.fetch(c.req.raw, { remoteAddress: getRemoteAddress(c) })
  })
  app.notFound((c) => fail(c, unroutable(app, c), options))
  app.onError(async (error, c) => {
    if (error instanceof GatewayError && error.code === 'unauthorized') await noteRefusedCredential(c, options)
    return fail(c, error, options)
  })
  return app
}

/** Records a token that was rejected, but not requests without one. */
async function noteRefusedCredential(c: AppContext, options: AppOptions): Promise<void> {
  if (c.req.header('authorization') === undefined && c.req.header('x-session-token') === undefined) return
  await options.audit.recordRepeated({
    ...options.clientOf(c.req.raw, getRemoteAddress(c)),
    accountId: null,
    outcome: 'refused',
    code: 'unauthorized',
    actor: '-',
    actorKind: 'visitor',
    action: 'token_rejected',
    target: c.get('routeId'),
  })
}

function leadToSetUp(app: Hono<AppEnv>, { factorSetupPath, people }: AppOptions): void {
  if (factorSetupPath === null) return
  app.get('/', async (c, next) => {
    const caller = await people.findCaller(c.req.raw)
    if (caller?.isByCookie !== true || !caller.withheld.has('admin')) return next()
    c.set('routeId', 'page')
    return c.redirect(factorSetupPath)
  })
}

const ACCOUNT_PAGES = 'account_page'
const ACCOUNT_API = 'account_api'

const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

/** Middleware for every request: host check, headers, metrics, errors. */
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
    options.httpMetrics.count(c.get('routeId'), c.res.status, tookMs)
    options.log.debug('Request', {
      request_id: c.get('requestId'),
      method: c.req.method,
      path: shownPath(c),
      status: c.res.status,
      ms: tookMs,
    })
  })
  app.use(async (c, next) => {
    checkHost(c.req.raw, options.addresses)
    // Account pages have forms and their own CSRF checks.
    if (!options.accountPages.handles(c.req.path)) {
      checkOrigin(c.req.raw, options.addresses)
      checkDeclaredSize(c.req.raw)
    }
    await next()
  })
}

/** Returns the path for the log. Account page paths may contain secret keys. */
function shownPath(c: AppContext): string {
  const id = c.get('routeId')
  return id === ACCOUNT_PAGES || id === ACCOUNT_API ? id : c.req.path
}

function fail(c: AppContext, error: Error, options: AppOptions): Response {
  const answer = failureAnswer(error, c.get('requestId'))
  if (answer.unexpected) {
    const { method } = c.req
    options.log.error('A request failed', { request_id: c.get('requestId'), method, path: shownPath(c), error })
  }
  return jsonResponse(answer.body, answer.status, answer.headers)
}

/** Returns the error for an unknown path or method. */
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

/** Adds `/healthz`, `/readyz` and `/metrics`. */
function healthRoutes(app: Hono<AppEnv>, options: AppOptions): void {
  app.get('/healthz', (c) => {
    c.set('routeId', 'healthz')
    return c.json({ ok: true })
  })
  app.get('/readyz', async (c) => {
    c.set('routeId', 'readyz')
    const { database, enabled, running } = await options.health.readiness()
    const ready = database && running >= enabled && !options.stopping.aborted
    return c.json({ ok: ready, database, enabled, running, stopping: options.stopping.aborted }, ready ? 200 : 503)
  })
  app.get('/metrics', async (c) => {
    c.set('routeId', 'metrics')
    if (!fromThisMachine(c, options)) await checkAdmin(c, options)
    return c.body(await options.health.metrics(), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
  })
}

/** Metrics cover every account, so they need the scope `admin`. */
async function checkAdmin(c: AppContext, options: AppOptions): Promise<void> {
  const caller = await options.people.findCaller(c.req.raw)
  if (caller === null) {
    throw new GatewayError('unauthorized', { headers: { 'www-authenticate': 'Bearer realm="gatepost"' } })
  }
  if (!caller.scopes.has('admin')) throw new GatewayError('scope_missing')
}

/** Behind a reverse proxy every peer is local, so a local address proves nothing. */
function fromThisMachine(c: AppContext, options: AppOptions): boolean {
  const peer = getRemoteAddress(c) ?? ''
  const isForwarded = Object.keys(c.req.header()).some((name) => FORWARDED.test(name))
  return options.addresses.publicUrl === null && !isForwarded && isLoopback(peer.replace(/^::ffff:/i, ''))
}

/** Headers that proxies add. */
const FORWARDED = /^(?:via|forwarded|x-forwarded-.+|x-real-ip)$/
