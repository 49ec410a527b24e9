import { startEmulators, type RunningEmulator } from '@gatepost/emulators'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../config/config.ts'
import { type Gateway, startGateway } from '../serve.ts'
import { systemClock } from '../system-clock.ts'
import { accountsWorld } from '../testing/accounts-world.ts'
import { type BrowserSession, browserSession } from '../testing/browser-session.ts'
import { listSecrets } from '../testing/six-world.ts'
import { demoEvent } from './demo-routes.ts'
import type { DemoEvent } from './demo.ts'
import { emulatedDemo } from './emulated-demo.ts'

let folder: string
let emulators: readonly RunningEmulator[]
let gateway: Gateway
let visitor: BrowserSession
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatepost-demo-test-'))
  emulators = await startEmulators(['weixin', 'telegram'])
  const hosts = Object.assign({}, ...emulators.map(({ environment }) => environment)) as Record<string, string> // texts all
  const config = readConfig({ ...hosts, GATEPOST_DATA_DIR: folder, GATEPOST_PORT: '0' })
  const sink = { write: () => undefined, flush: () => undefined, close: () => undefined }
  gateway = await startGateway(config, { demo: await emulatedDemo(emulators, systemClock), sink })
  visitor = browserSession(gateway.url)
  await visitor.get(gateway.demoUrl ?? '')
  const bot = await emulators[1]?.control.bot()
  await visitor.call('POST', '/api/channels/telegram', bot?.credentials)
})
afterAll(async () => {
  await gateway.stop()
  await Promise.all(emulators.map((emulator) => emulator.close()))
  await rm(folder, { recursive: true })
})

const act = (path: string, body: unknown = {}): ReturnType<BrowserSession['call']> =>
  visitor.call('POST', `/api/demo/${path}`, body)
const ann = { id: 'ann', name: 'Ann' }

/** Reads the stream until each of these was told. */
async function heardUntil(...all: readonly ((event: DemoEvent) => boolean)[]): Promise<readonly DemoEvent[]> {
  const leaving = new AbortController()
  const cookie = [...visitor.cookies].map((pair) => pair.join('=')).join('; ')
  const { body } = await fetch(`${gateway.url}/api/demo/stream`, { headers: { cookie }, signal: leaving.signal })
  const heard: DemoEvent[] = []
  let rest = ''
  for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const [, data = ''] of blocks.flatMap((block) => [...block.matchAll(/^data: (.*)$/gm)]))
      heard.push(demoEvent.parse(JSON.parse(data)))
    if (all.every((isIt) => heard.some(isIt))) break
  }
  leaving.abort()
  return heard
}

describe('the link of a demo', () => {
  it('signs a visitor in as the owner, as often as they like, and leads to the chats', async () => {
    for (const browser of [visitor, browserSession(gateway.url)]) {
      const opened = await browser.get(gateway.demoUrl ?? '')
      expect([opened.status, opened.location, opened.headers.get('referrer-policy')]).toEqual([
        302,
        '/console/demo',
        'same-origin',
      ])
      expect((await browser.get('/api/me')).json()).toMatchObject({ account: 'owner', user: { staff: true } })
    }
    expect(gateway.firstAccountUrl).toBeNull()
  })

  it.each(['', 'x', 'x'.repeat(43)])('is none with another key: %j', async (key) => {
    const browser = browserSession(gateway.url)
    const opened = await browser.get(`/demo/${key}`)
    expect(opened.status).toBe(404)
    expect((await browser.get('/api/demo')).status).toBe(401)
  })
})

describe('a visitor', () => {
  it('is told what there is, and never a secret', async () => {
    const demo = await visitor.get('/api/demo')
    expect(demo.json()).toMatchObject({
      running: true,
      platforms: [
        { platform: 'weixin', groups: false, confirms: true },
        { platform: 'telegram', groups: true, acts: [] },
      ],
      people: [ann, { id: 'milo' }],
    })
    const answers = [demo, await act('weixin/bot'), await act('telegram/bot'), await act('telegram/faults')]
    const secrets = await Promise.all(emulators.map(({ control }) => listSecrets(control)))
    for (const secret of secrets.flat()) for (const { text } of answers) expect(text).not.toContain(secret)
  })

  it('says something, and sees how it is received and answered', async () => {
    const isAnswered = (event: DemoEvent): boolean =>
      event.type === 'chat' &&
      event.lines.some(({ by, text }) => by === 'bot' && text.includes('is hasAccounts there?'))
    expect((await act('telegram/say', { from: ann, text: 'is hasAccounts there?' })).status).toBe(200)
    const isConnected = (event: DemoEvent): boolean =>
      event.type === 'pane' && event.platform === 'telegram' && event.connected
    const heard = await heardUntil(isAnswered, isConnected)
    expect(heard.find(isConnected)).toMatchObject({ bot: 'Gatepost', faults: [] })
    const lines = heard.flatMap((event) => (event.type === 'chat' && event.chat === 'ann' ? event.lines : []))
    expect(lines.findLast(({ by }) => by === 'person')).toMatchObject({ way: 'confirmed', name: 'Ann' })
    expect(lines.findLast(({ by }) => by === 'bot')).toMatchObject({
      way: null,
      blocks: [
        { type: 'paragraph', spans: [{ text: 'You said:' }] },
        { type: 'quote', spans: [{ text: 'is hasAccounts there?' }] },
      ],
    })
  })

  it('makes the faults of the switches, and is told which are on', async () => {
    const fault = { kind: 'drop_before', times: null }
    const isCut = (event: DemoEvent): boolean => event.type === 'pane' && event.faults.length > 0
    expect((await act('telegram/injectFault', fault)).status).toBe(200)
    const heard = await heardUntil(isCut)
    expect(heard.find(isCut)).toMatchObject({ platform: 'telegram', faults: [{ switch: 'cut', left: null }] })
    await act('telegram/clearFaults')
    expect((await act('telegram/faults')).json()).toEqual({ result: [] })
  })

  it.each<[path: string, body: unknown, status: number, code: string]>([
    ['telegram/sent', {}, 404, 'not_found'],
    ['telegram/constructor', {}, 404, 'not_found'],
    ['discord/bot', {}, 404, 'unknown_platform'],
    ['telegram/scan', { act: 'confirm' }, 422, 'demo_refused'],
    ['weixin/scan', { act: 'constructor' }, 422, 'demo_refused'],
    ['telegram/injectFault', { kind: 'drop_before', times: 1e9 }, 422, 'demo_refused'],
    ['telegram/say', { from: { id: 5 }, text: 'x' }, 422, 'invalid_body'],
    ['telegram/say', { from: ann, text: ' ' }, 422, 'invalid_body'],
    ['weixin/say', { from: ann, group: { id: 'harbour' }, text: 'x' }, 422, 'demo_refused'],
    ['telegram/say', { from: ann, text: 'x', file: { base64: 'AA==' } }, 422, 'invalid_body'],
  ])('cannot do anything else: %s %j', async (path, body, status, code) => {
    const { status: answered, text } = await act(path, body)
    expect([answered, JSON.parse(text)]).toMatchObject([status, { code }])
  })
})

it('is found in no other service, and none is started from one that others reach', async () => {
  await using world = await accountsWorld({ GATEPOST_PUBLIC_URL: 'https://gate.example.org' })
  const readCode = async (method: string, path: string): Promise<unknown> => {
    const body = method === 'POST' && path !== '/api/demo' ? { body: {} } : {}
    return (await world.ask(method, path, body)).body['code']
  }
  expect([
    await readCode('GET', '/api/demo'),
    await readCode('GET', '/api/demo/stream'),
    await readCode('POST', '/api/demo/telegram/bot'),
    await readCode('POST', '/api/demo'),
  ]).toEqual(['no_demo', 'no_demo', 'no_demo', 'demo_not_here'])
  expect((await world.ask('GET', '/api/service')).body).toMatchObject({ demo: false, can_start_demo: false })
  expect(world.gateway().demoUrl).toBeNull()
})
