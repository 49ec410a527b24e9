import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "media-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const FILES: Readonly<Record<string, readonly [name: string, type: string]>> = {
  '/demo': ['index.html', 'text/html; charset=utf-8'],
  '/demo/frame.css': ['frame.css', 'text/css; charset=utf-8'],
  '/demo/messages.css': ['messages.css', 'text/css; charset=utf-8'],
  '/demo/controls.css': ['controls.css', 'text/css; charset=utf-8'],
  '/demo/chat.js': ['chat.js', 'text/javascript; charset=utf-8'],
  '/demo/cast.js': ['cast.js', 'text/javascript; charset=utf-8'],
  '/demo/control.js': ['control.js', 'text/javascript; charset=utf-8'],
  '/demo/messages.js': ['messages.js', 'text/javascript; charset=utf-8'],
  '/demo/format.js': ['format.js', 'text/javascript; charset=utf-8'],
  '/demo/parts.js': ['parts.js', 'text/javascript; charset=utf-8'],
  '/demo/icon.svg': ['icon.svg', 'image/svg+xml'],
}

/** Answers `/demo` and its files; `/` leads there. */
export async function answerPage(path: string, response: ServerResponse): Promise<void> {
  const [name = ''] = path.split('?')
  if (name === '/' || name === '/demo/') return void response.writeHead(302, { location: '/demo' }).end()
  const file = FILES[name]
  if (!file) return void response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found')
  const content = await readFile(new URL(file[0], import.meta.url))
  response.writeHead(200, {
    'content-type': file[1],
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  })
  response.end(content)
}
