import { expect, it } from 'vitest'
import { openBench } from '../wire-client.ts'

it.each([
  '/demo',
  '/demo/frame.css',
  '/demo/messages.css',
  '/demo/controls.css',
  '/demo/chat.js',
  '/demo/cast.js',
  '/demo/control.js',
  '/demo/messages.js',
  '/demo/format.js',
  '/demo/parts.js',
  '/demo/icon.svg',
])('serves %s under a policy that loads nothing from elsewhere', async (path) => {
  await using bench = await openBench()
  const response = await fetch(bench.url + path)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self';/,
  )
  const source = await response.text()
  expect(
    source.match(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|https?:\/\/(?!www\.w3\.org\/2000\/svg)/),
  ).toBeNull()
})

it.each(['/demo/../cli.ts', '/demo/serve.ts', '/demo/%2e%2e/cli.ts'])('serves nothing else: %s', async (path) => {
  await using bench = await openBench()
  expect((await fetch(bench.url + path)).status).toBe(404)
})
