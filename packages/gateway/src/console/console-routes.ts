import type { ConsoleFiles } from './console-files.ts'
import type { AppContext, AppEnv } from '../server/app-options.ts'
import { GatewayError } from '../server/errors.ts'
import type { Hono } from 'hono'

/**
 * Content security policy. QR codes are `data:` images; `base-uri` allows the page's own `<base>`; forms are used to
 * connect social accounts.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')
const YEAR_SECONDS = 31_536_000

/** Serves the web console below `/console/` and redirects the front page to it. Public: its data comes from the API. */
export function consoleRoutes(app: Hono<AppEnv>, files: ConsoleFiles): void {
  // relative, to keep a proxy's prefix
  app.get('/', (c) => lead(c, 'console/'))
  app.get('/console', (c) => lead(c, 'console/'))
  app.get('/console/assets/:name', async (c) => {
    c.set('routeId', 'console')
    const file = await files.asset(c.req.param('name'), c.req.header('accept-encoding') ?? '')
    if (file === null) throw new GatewayError('not_found')
    return c.body(file.body, 200, {
      'content-type': file.type,
      'cache-control': `public, max-age=${YEAR_SECONDS}, immutable`,
      vary: 'accept-encoding',
      ...(file.encoding !== null && { 'content-encoding': file.encoding }),
    })
  })
  app.get('/console/*', (c) => {
    c.set('routeId', 'console')
    const page = files.page(c.req.path)
    if (page === null) throw new GatewayError('console_missing')
    return c.body(page, 200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': 'no-cache',
    })
  })
}

function lead(c: AppContext, to: string): Response {
  c.set('routeId', 'console')
  return c.body(null, 302, { location: to })
}
