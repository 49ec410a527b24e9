import { testServer, type TestServer } from '../testing/test-server.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(server.url + path, { headers, redirect: 'manual' })

it.each(['/', '/console'])('leads from %s to the console, relative to where a proxy has put it', async (path) => {
  const response = await ask(path)
  expect(response.status).toBe(302)
  expect(response.headers.get('location')).toBe('console/')
})

it.each([
  ['/console/', '../'],
  ['/console/channels', '../'],
  ['/console/channels/telegram', '../../'],
  ['/console/channels/telegram/setup', '../../../'],
  ['/console/channels/', '../../'],
])('answers %s with a page whose base is the service', async (path, base) => {
  const response = await ask(path)
  expect(response.status).toBe(200)
  const html = await response.text()
  expect(html).toContain(`<base href="${base}" />`)
  const where = new URL(base, `https://host.example/gate${path}`)
  expect(where.href).toBe('https://host.example/gate/')
  const policy = response.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("script-src 'self'")
  expect(policy).not.toContain('unsafe')
  expect(response.headers.get('cache-control')).toBe('no-cache')
})

it.each([
  ['br', 'br'],
  ['gzip, deflate, BR;q=0.5', 'br'],
  ['gzip', 'gzip'],
  ['br; q=0.0, gzip;q=1', 'gzip'],
  ['identity', null],
  ['br;q=0, x-gzip', null],
])('sends a file of the build to who accepts %s as %s, to be kept for ever', async (accepted, encoding) => {
  const response = await ask('/console/assets/index-x1.js', { 'accept-encoding': accepted })
  expect(response.headers.get('content-encoding')).toBe(encoding)
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(response.headers.get('cache-control')).toContain('immutable')
  expect(await response.text()).toBe("document.title = 'Gatepost'\n")
})

it.each(['missing-1.js', '..%2f..%2findex.html', 'index-x1.ts', 'a'.repeat(5_000), '.js', 'a%00.js'])(
  'has no file %s',
  async (name) => {
    const response = await ask(`/console/assets/${name}`)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ code: 'not_found' })
  },
)
