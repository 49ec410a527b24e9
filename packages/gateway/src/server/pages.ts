import type { AppContext, AppEnv } from './app-options.ts'
import { readFileSync } from 'node:fs'
import type { Hono } from 'hono'

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const FILES: readonly (readonly [path: string, file: string, type: string])[] = [
  ['/api/docs', 'docs.html', 'text/html'],
  ['/assets/page.css', 'page.css', 'text/css'],
  ['/assets/docs.js', 'docs.js', 'text/javascript'],
  ['/assets/weixin-qr.js', 'weixin-qr.js', 'text/javascript'],
  ['/favicon.ico', 'mark.svg', 'image/svg+xml'],
  ['/assets/mark.svg', 'mark.svg', 'image/svg+xml'],
]

/** Serves the API reference and its OpenAPI document. Public. */
export function pageRoutes(app: Hono<AppEnv>, document: unknown): void {
  const json = JSON.stringify(document)
  app.get('/api/openapi.json', (c) => {
    c.set('routeId', 'openapi')
    return c.body(json, 200, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' })
  })
  for (const [path, file, type] of FILES) {
    const text = readFileSync(new URL(`pages/${file}`, import.meta.url), 'utf8')
    app.get(path, (c) => {
      c.set('routeId', 'page')
      return c.body(text, 200, createHeaders(type))
    })
  }
}

/** Creates an HTML response that isn't cached. */
export const securePage = async (c: AppContext, page: string | Promise<string>, status: 200 | 400): Promise<Response> =>
  c.body(await page, status, { ...createHeaders('text/html'), 'cache-control': 'no-store' })

const createHeaders = (type: string): Record<string, string> => ({
  'content-type': `${type}; charset=utf-8`,
  'content-security-policy': PAGE_POLICY,
  'cache-control': 'no-cache',
})
