import { expect, it } from 'vitest'
import { startDiscordEmulator } from '../../discord/emulator.ts'
import { setSiblings, siblingsAt } from './page-info.ts'

const FILES = ['', '/frame.css', '/messages.css', '/controls.css', '/siblings.css', '/platforms.css', '/page.js']
const MORE = [
  '/siblings.js',
  '/transcript.js',
  '/blocks.js',
  '/setup.js',
  '/control.js',
  '/parts.js',
  '/texts.js',
  '/icon.svg',
]

it.each([...FILES, ...MORE])('serves /demo%s under a policy that loads nothing from elsewhere', async (path) => {
  const emulator = await startDiscordEmulator()
  const response = await fetch(`${emulator.url}/demo${path}`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self';/,
  )
  const source = await response.text()
  expect(
    source.match(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|https?:\/\/[a-z](?!ww\.w3\.org\/2000\/svg)/),
  ).toBeNull()
  await emulator.close()
})

it.each(['/demo/serve.ts', '/demo/%2e%2e/server.ts', '/demo/constructor'])('serves nothing else: %s', async (path) => {
  const emulator = await startDiscordEmulator()
  expect((await fetch(emulator.url + path)).status).toBeGreaterThan(400)
  await emulator.close()
})

it('leads from the root to the page, and says which platform it is', async () => {
  const emulator = await startDiscordEmulator()
  expect((await fetch(emulator.url)).url).toBe(`${emulator.url}/demo`)
  expect(await (await fetch(`${emulator.url}/demo/page.json`)).json()).toEqual({
    platform: 'discord',
    label: 'Discord',
    groups: true,
    confirms: false,
    acts: [],
  })
  await emulator.close()
})

it('knows its siblings once they are set, and forgets them when it closes', async () => {
  const emulator = await startDiscordEmulator()
  const read = async (url: string): Promise<unknown> => (await fetch(`${url}/demo/siblings.json`)).json()
  expect(await read(emulator.url)).toEqual([])
  const family = [{ platform: 'discord', label: 'Discord', url: `${emulator.url}/demo` }]
  setSiblings(emulator.url, family)
  expect(await read(emulator.url)).toEqual(family)
  await emulator.close()
  expect(siblingsAt(Number(new URL(emulator.url).port))).toEqual([])
})

it('stays when the connections of the bot are dropped', async () => {
  const emulator = await startDiscordEmulator()
  await fetch(`${emulator.url}/demo`)
  await emulator.control.dropConnections()
  expect((await fetch(`${emulator.url}/demo`)).status).toBe(200)
  await emulator.close()
})
