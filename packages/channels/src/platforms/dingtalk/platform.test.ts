import { expect, it } from 'vitest'
import type { Diagnosis } from '../../platform.ts'
import { ANN } from './dingtalk.contract.ts'
import { never, until } from '../wire/testing.ts'
import { openScene, type Scene } from './testing.ts'
import { dingtalk } from './platform.ts'

const examine = async ({ world, io }: Scene): Promise<readonly Diagnosis[]> =>
  dingtalk.diagnose(world.credentials, io, never)
const getState = (checks: readonly Diagnosis[], id: string): string | undefined =>
  checks.find((check) => check.id === id)?.status

it('shows exactly the client id, also when there is none', () => {
  expect(dingtalk.describe(null)).toEqual({ client_id: '' })
  expect(dingtalk.describe({ client_id: 'dingabc', client_secret: 'secret' })).toEqual({ client_id: 'dingabc' })
})

it('accepts credentials of an app that may not connect yet', async () => {
  const { world, io } = await openScene()
  const fault = { kind: 'error', method: 'connections.open' } as const
  await world.control.injectFault({ ...fault, code: 'invalidParameter' })
  expect(await dingtalk.validate(world.credentials, io, never)).toMatchObject({ ok: true })
  await world.control.injectFault({ ...fault, code: 'authFailed' })
  expect(await dingtalk.validate(world.credentials, io, never)).toMatchObject({ ok: false, reason: 'rejected' })
})

it('says with the words of the platform why credentials are rejected', async () => {
  const { world, io } = await openScene()
  const rejected = await dingtalk.validate({ ...world.credentials, client_secret: 'wrong' }, io, never)
  expect(rejected).toMatchObject({ ok: false, message: expect.stringContaining('invalid clientId or clientSecret') })
})

it('proves what it can without a connection', async () => {
  const checks = await examine(await openScene())
  expect(checks.map(({ id, status }) => [id, status])).toEqual([
    ['credentials_accepted', 'pass'],
    ['stream_ready', 'pass'],
  ])
})

it('tells how the connection does, and when the last message came', async () => {
  const scene = await openScene()
  const { world, clock } = scene
  const listening = scene.listen()
  await listening.alive()
  expect((await examine(scene)).map(({ id, status }) => [id, status])).toContainEqual(['last_message', 'pass'])
  await world.say('hello')
  await listening.message('hello')
  const storedAtMs = clock.now()
  await until(async () => (await examine(scene)).some(({ id, at }) => id === 'last_message' && at === storedAtMs))
  expect(getState(await examine(scene), 'stream_alive')).toBe('pass')
  await listening.stop()
  expect(getState(await examine(scene), 'stream_alive')).toBe('warn')
})

it('finds a stream that has fallen silent', async () => {
  const scene = await openScene()
  const listening = scene.listen()
  await listening.alive()
  // the clock of the examination runs ahead of the one of the connection, which would end the stream
  const later = () => scene.clock.now() + 90_000
  const clock = { ...scene.io.clock, now: later }
  Object.assign(scene.io.clock, clock)
  const [silent] = (await examine(scene)).filter(({ id }) => id === 'stream_alive')
  expect(silent).toMatchObject({ status: 'fail', remedy: expect.stringContaining('disable') })
})

it.each([
  ['invalidParameter', 'fail', 'Publish'],
  ['ServiceUnavailable', 'warn', 'Try again'],
] as const)('finds an app that may not connect: %s', async (code, status, remedy) => {
  const scene = await openScene()
  await scene.world.control.injectFault({ kind: 'error', code, method: 'connections.open' })
  const check = (await examine(scene)).find(({ id }) => id === 'stream_ready')
  expect(check).toMatchObject({ status, remedy: expect.stringContaining(remedy) })
})

it('says that DingTalk cannot be reached, with where', async () => {
  const scene = await openScene()
  await scene.world.control.injectFault({ kind: 'bad_gateway', method: 'accessToken' })
  const [check, more] = await examine(scene)
  expect(check).toMatchObject({ id: 'server_reachable', status: 'fail', detail: expect.stringContaining('HTTP 502') })
  expect(more).toBeUndefined()
})

it('fetches files only from where they may lie', async () => {
  const scene = await openScene()
  const listening = scene.listen()
  await scene.world.speak({ from: ANN, file: { kind: 'image', base64: 'AAEC' } })
  await until(() => listening.messages.length === 1)
  const media = listening.messages[0]?.media[0]
  if (media === undefined) throw new Error('no file arrived')
  const got = await scene.connection.can.fetchMedia?.(media, never)
  expect(got).toMatchObject({ mime: 'image/png', bytes: Buffer.from([0, 1, 2]) })
  const [file] = await scene.world.control.requests({ method: 'files' })
  expect(file?.headers).not.toHaveProperty('content-type')
  expect(file?.headers).not.toHaveProperty('x-acs-dingtalk-access-token')
  const elsewhere = {
    ...scene.io,
    fetch: async () => Response.json({ downloadUrl: 'ftp://127.0.0.1/a', accessToken: 'x' }),
  }
  const astray = dingtalk.connect(scene.world.credentials, elsewhere)
  await expect(astray.can.fetchMedia?.(media, never)).rejects.toMatchObject({ code: 'media_unavailable' })
})
