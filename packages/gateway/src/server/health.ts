import { type AppContext, type AppEnv, type AppOptions, remoteAddressOf } from './app-options.ts'
import { GatewayError } from './errors.ts'
import { isLoopback } from '../config/forms.ts'
import type { Hono } from 'hono'

/** `/healthz`, `/readyz` and `/metrics`. */
export function healthRoutes(app: Hono<AppEnv>, options: AppOptions): void {
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

/** The figures are those of every account. */
async function checkAdmin(c: AppContext, options: AppOptions): Promise<void> {
  const caller = await options.people.callerOf(c.req.raw)
  if (caller === null) {
    throw new GatewayError('unauthorized', { headers: { 'www-authenticate': 'Bearer realm="gatepost"' } })
  }
  if (!caller.scopes.has('admin')) throw new GatewayError('scope_missing')
}

/** Behind a reverse proxy every peer is this machine, so there nobody is believed for that alone. */
function fromThisMachine(c: AppContext, options: AppOptions): boolean {
  const peer = remoteAddressOf(c) ?? ''
  const forwarded = ['forwarded', 'x-forwarded-for', 'x-real-ip'].some((name) => c.req.header(name) !== undefined)
  return options.addresses.publicUrl === null && !forwarded && isLoopback(peer.replace(/^::ffff:/i, ''))
}
