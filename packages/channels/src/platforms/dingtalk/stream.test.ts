import { expect, it } from 'vitest'
import { ConnectionError } from '../../errors.ts'
import { until } from '../wire/testing.ts'
import { openScene, type Scene } from './testing.ts'

const PING_MS = 25_000
const OPEN = 'connections.open'

const isConfirmed = async ({ world }: Scene): Promise<boolean> =>
  (await world.control.events()).every(({ confirmedAtMs }) => confirmedAtMs !== null)

it('sends what the documentation asks for, and spends its ticket encoded', async () => {
  const scene = await openScene()
  const { world } = scene
  const listening = scene.listen()
  await listening.alive()
  const [open] = await world.control.requests({ method: OPEN })
  expect(open?.headers).toMatchObject({ accept: 'application/json', 'content-type': 'application/json' })
  expect(JSON.parse(open?.body ?? '')).toMatchObject({
    clientId: world.credentials.client_id,
    subscriptions: [
      { type: 'CALLBACK', topic: '/v1.0/im/bot/messages/get' },
      { type: 'CALLBACK', topic: '/v1.0/card/instances/callback' },
    ],
  })
  const [connect] = await world.control.requests({ method: 'connect' })
  expect(connect).toMatchObject({ target: expect.stringMatching(/\?ticket=t%2B%2F\d+%3D%3D$/), status: 101 })
})

it('answers pings of the gateway, events and presses on cards, and refuses topics that it does not know', async () => {
  const scene = await openScene({ pingMs: 20 })
  const { world } = scene
  const listening = scene.listen()
  await listening.alive()
  const frame = async (type: 'EVENT' | 'CALLBACK', topic: string): Promise<void> => {
    await world.control.injectFault({ kind: 'frame', type, topic, data: {} })
  }
  await frame('EVENT', 'user_add_org')
  await frame('CALLBACK', '/v1.0/card/instances/callback')
  await frame('CALLBACK', '/v1.0/unheard/of')
  const answers = async (): Promise<readonly string[]> =>
    (await world.control.requests({ method: 'stream.other' })).map(({ body }) => {
      const { code, data } = JSON.parse(body) as { code: number; data: string } // our own frames
      return `${code} ${data.replace(/"opaque\d+"/, '"…"')}`
    })
  const expected = ['200 {"status":"SUCCESS"}', '200 {"response":{}}', '404 {}', '200 {"opaque":"…"}']
  await until(async () => new Set(await answers()).size === expected.length)
  expect([...new Set(await answers())]).toEqual(expect.arrayContaining(expected))
})

it('opens a new stream as soon as it is asked to, and loses nothing over it', async () => {
  const scene = await openScene({ disconnectMs: 3_600_000 })
  const { world } = scene
  const listening = scene.listen()
  await world.say('before')
  await listening.message('before')
  await world.control.injectFault({ kind: 'disconnect' })
  await world.say('between')
  await listening.message('between')
  await until(async () => (await scene.calls('connect')) === 2)
  await world.say('after')
  await listening.message('after')
  await until(() => isConfirmed(scene))
  expect(listening.messages.map(({ text }) => text)).toEqual(['before', 'between', 'after'])
})

it('does not go round and round when it is asked to again and again', async () => {
  const scene = await openScene({ disconnectMs: 3_600_000 })
  const listening = scene.listen()
  for (let streams = 1; streams <= 4; streams++) {
    await scene.waitingFor(PING_MS)
    expect(await scene.calls('connect')).toBe(streams)
    await scene.world.control.injectFault({ kind: 'disconnect' })
  }
  expect(await listening.ended).toMatchObject({ code: 'network', message: expect.stringContaining('keeps requesting') })
})

it('drops a stream on which two pings stay unanswered, and opens another', async () => {
  const scene = await openScene({ pingMs: 3_600_000 })
  const { world, clock } = scene
  const listening = scene.listen()
  await listening.alive()
  for (let beats = 0; beats < 5; beats++) {
    const before = listening.signs()
    await scene.waitingFor(PING_MS)
    await clock.advance(PING_MS)
    await until(() => listening.signs() > before) // the pong
  }
  expect(await scene.calls('connect')).toBe(1)
  await world.control.injectFault({ kind: 'half_open' })
  for (let beats = 0; beats < 3; beats++) {
    await scene.waitingFor(PING_MS)
    await clock.advance(PING_MS)
  }
  await world.say('still there?')
  await listening.message('still there?')
  expect(await scene.calls('connect')).toBe(2)
})

it('goes on at once after a stream that has lived, and leaves one that has not to the back-off', async () => {
  const scene = await openScene()
  const { world, clock } = scene
  const listening = scene.listen()
  await listening.alive()
  await scene.waitingFor(PING_MS)
  await clock.advance(10_000)
  await world.control.dropConnections()
  await scene.waitingFor(PING_MS)
  expect(await scene.calls('connect')).toBe(2)
  await world.control.dropConnections()
  expect(await listening.ended).toMatchObject({ code: 'network', message: expect.stringContaining('closed soon') })
  await world.say('waits')
  expect((await scene.listen().message('waits')).text).toBe('waits')
})

it('gets a message again under the same key when its answer was lost', async () => {
  const scene = await openScene()
  const { world } = scene
  const listening = scene.listen()
  await listening.alive()
  await world.control.injectFault({ kind: 'lose_answer' })
  await world.say('twice')
  await until(() => listening.messages.length === 2)
  const [first, second] = listening.messages
  expect(second?.key).toBe(first?.key)
  await until(() => isConfirmed(scene))
})

it('confirms what is being stored before it ends', async () => {
  const scene = await openScene({ redeliveryMs: [3_600_000] })
  const stored = Promise.withResolvers<void>()
  const listening = scene.listen(stored.promise)
  await scene.world.say('last words')
  await listening.message('last words')
  const stopped = listening.stop()
  expect(await isConfirmed(scene)).toBe(false)
  stored.resolve()
  await stopped
  await until(() => isConfirmed(scene))
})

it('believes after three tries only that the streams do not know the app, when the platform knows it', async () => {
  const scene = await openScene()
  await scene.world.control.injectFault({ kind: 'error', code: 'authFailed', method: OPEN, times: 3 })
  const listening = scene.listen()
  for (let tries = 0; tries < 2; tries++) {
    await scene.waitingFor(2_000)
    await scene.clock.advance(2_000)
  }
  expect(await listening.ended).toMatchObject({ code: 'credentials_rejected' })
  expect(await scene.calls(OPEN)).toBe(3)
})

it('does not take a platform that cannot be asked for a second rejection', async () => {
  const scene = await openScene()
  await scene.world.control.injectFault({ kind: 'error', code: 'authFailed', method: OPEN })
  await scene.world.control.injectFault({ kind: 'bad_gateway', method: 'accessToken' })
  expect(await scene.listen().ended).toMatchObject({ code: 'network' })
})

it('comes to life when the streams learn of the app in time', async () => {
  const scene = await openScene()
  await scene.world.control.injectFault({ kind: 'error', code: 'authFailed', method: OPEN, times: 2 })
  const listening = scene.listen()
  for (let tries = 0; tries < 2; tries++) {
    await scene.waitingFor(2_000)
    await scene.clock.advance(2_000)
  }
  await scene.world.say('hello')
  expect((await listening.message('hello')).text).toBe('hello')
})

it.each([
  [{ kind: 'error', code: 'invalidParameter', method: OPEN }, 'configuration', 'Stream'],
  [{ kind: 'error', code: 'ServiceUnavailable', method: OPEN }, 'network', 'unavailable'],
  [{ kind: 'bad_gateway', method: OPEN }, 'network', "Couldn't reach DingTalk"],
  [{ kind: 'expired_ticket' }, 'network', 'Unexpected server response: 401'],
] as const)('ends with the right class: %j', async (fault, code, words) => {
  const scene = await openScene()
  await scene.world.control.injectFault(fault)
  const error = await scene.listen().ended
  expect(error).toBeInstanceOf(ConnectionError)
  expect(error).toMatchObject({ code, message: expect.stringContaining(words) })
})
