import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { writeJson } from '../http.ts'
import { type PageInfo, siblingsAt } from './page-info.ts'

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

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

/** Files of a page, by name below `/demo/`. */
export type PageFiles = Readonly<Record<string, URL>>

const toEntry = (name: string): readonly [string, URL] => [name, new URL(name, import.meta.url)]

/** Files that all pages share. */
export const SHARED_FILES: PageFiles = Object.fromEntries(
  [
    'frame.css',
    'messages.css',
    'controls.css',
    'siblings.css',
    'platforms.css',
    'siblings.js',
    'parts.js',
    'texts.js',
    'icon.svg',
  ].map(toEntry),
)

const OWN_FILES: PageFiles = {
  ...SHARED_FILES,
  ...Object.fromEntries(['index.html', 'page.js', 'transcript.js', 'blocks.js', 'setup.js', 'control.js'].map(toEntry)),
}

/** Whether a path belongs to the page. */
export const isPagePath = (path: string): boolean => path === '/' || /^\/demo(?:[/?]|$)/.test(path)

/** Serves `/demo` and its files; redirects `/` there. */
export async function answerPage(info: PageInfo, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url?.split('?')[0] !== '/demo/page.json') return answerPageFile(OWN_FILES, request, response)
  writeJson(response, 200, info, { 'cache-control': 'no-store' })
}

/** Serves a page made of other files. */
export async function answerPageFile(
  files: PageFiles,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path = ''] = (request.url ?? '').split('?')
  if (path === '/' || path === '/demo/') return void response.writeHead(302, { location: '/demo' }).end()
  if (path === '/demo/siblings.json') {
    return writeJson(response, 200, siblingsAt(request.socket.localPort ?? 0), { 'cache-control': 'no-store' })
  }
  const name = path === '/demo' ? 'index.html' : path.slice('/demo/'.length)
  const file = Object.hasOwn(files, name) ? files[name] : undefined
  if (!file) return void response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found')
  const content = await readFile(file)
  response.writeHead(200, {
    'content-type': TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  })
  response.end(content)
}
