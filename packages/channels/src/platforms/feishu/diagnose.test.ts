import { expect, it } from 'vitest'
import { run, never } from '../wire/testing.ts'
import { feishu } from './platform.ts'
import { openScene, type Scene } from './testing.ts'

const check = async ({ world, io }: Scene, id: string): Promise<unknown> =>
  (await feishu.diagnose(world.credentials, io, never)).find((one) => one.id === id)

it('is content with an app that is connected once', async () => {
  const scene = await openScene()
  await run(scene.connection).alive()
  const all = await feishu.diagnose(scene.world.credentials, scene.io, never)
  expect(all.map(({ id, status }) => `${id} ${status}`)).toEqual([
    'app_id_shape pass',
    'server_reachable pass',
    'credentials_accepted pass',
    'bot_usable pass',
    'scopes pass',
    'one_connection pass',
    'last_frame pass',
  ])
})

it.each([
  ['scopes', 'fail', { kind: 'scope', scope: 'im:message.p2p_msg:readonly', granted: false }],
  ['scopes', 'warn', { kind: 'scope', scope: 'cardkit:card:write', granted: false }],
  ['bot_usable', 'fail', { kind: 'activate_status', status: 1 }],
  ['bot_usable', 'fail', { kind: 'error', code: 230006, method: 'bot.v3.info' }],
  ['scopes', 'warn', { kind: 'error', code: 99991672, method: 'application.v6.scopes' }],
  ['one_connection', 'warn', { kind: 'error', code: 99991672, method: 'event.v1.connection' }],
] as const)('%s: %s for %j', async (id, status, fault) => {
  const scene = await openScene()
  await scene.world.control.injectFault(fault)
  expect(await check(scene, id)).toMatchObject({ status, remedy: expect.any(String) as unknown })
})

it('sees nobody connected, and too many', async () => {
  const scene = await openScene()
  expect(await check(scene, 'one_connection')).toMatchObject({ status: 'warn' })
  await run(scene.connection).alive()
  await run(feishu.connect(scene.world.credentials, scene.io)).alive()
  expect(await check(scene, 'one_connection')).toMatchObject({ status: 'fail', remedy: expect.any(String) as unknown })
})

it('notices that nothing has been heard for too long', async () => {
  const scene = await openScene()
  let aheadMs = 0
  const io = { ...scene.io, clock: { ...scene.clock, now: () => scene.clock.now() + aheadMs } }
  await run(feishu.connect(scene.world.credentials, io)).alive()
  aheadMs = 10 * 60_000
  expect(await check({ ...scene, io }, 'last_frame')).toMatchObject({ status: 'fail' })
})
