import { expect, it } from 'vitest'
import { ChannelError } from '../../errors.ts'
import { type Person, personAt } from '../../setup/testing.ts'
import { openScene, type Scene } from './testing.ts'
import { dingtalk } from './platform.ts'

const POLL_MS = 3_000

interface Ceremony extends Person {
  /** What the guide ended with; `undefined`: all is well. */
  readonly ended: Promise<unknown>
  readonly cancel: () => void
  /** Waits until the guide waits, does something, and lets the time pass. */
  pass(ms?: number, act?: () => Promise<unknown>): Promise<void>
}

/** @param refusals What `save` throws before it saves. @param resumed The progress to go on from. */
function begin(scene: Scene, refusals: readonly ChannelError[] = [], resumed: unknown = null): Ceremony {
  const left = [...refusals]
  const person = personAt(scene.io, {
    resumed,
    save: () => {
      const refusal = left.shift()
      if (refusal !== undefined) throw refusal
    },
  })
  const aborter = new AbortController()
  return {
    ...person,
    ended: person.follow(dingtalk.setups[0], aborter.signal),
    cancel: () => aborter.abort(),
    async pass(ms = POLL_MS, act) {
      await scene.waitingFor(POLL_MS)
      await act?.()
      await scene.clock.advance(ms)
    },
  }
}

it('shows a code, waits for the scan and saves what the platform hands out', async () => {
  const scene = await openScene()
  const { control, credentials, url } = scene.world
  const ceremony = begin(scene)
  await scene.waitingFor(POLL_MS)
  const [step] = ceremony.steps
  expect(step).toMatchObject({
    state: 'waiting',
    scannable: true,
    url: expect.stringMatching(new RegExp(`^${url}/device\\?user_code=`)),
  })
  // the platform tells whole seconds, rounded down
  expect(scene.clock.now() + 7_200_000 - (step?.expiresAtMs ?? 0)).toBeOneOf([0, 1_000])
  await control.scan({ act: 'confirm' })
  await scene.clock.advance(POLL_MS)
  expect(await ceremony.ended).toBeUndefined()
  expect(ceremony.saved).toEqual([{ fields: credentials }])
  const [init] = await control.requests({ method: 'registration.init' })
  expect(JSON.parse(init?.body ?? '')).toEqual({ source: 'DING_DWS_CLAW' })
})

it('does not believe a failure that passes', async () => {
  const scene = await openScene()
  const { control } = scene.world
  const ceremony = begin(scene)
  await ceremony.pass(POLL_MS, () => control.injectFault({ kind: 'registration_fail' }))
  await ceremony.pass(POLL_MS, () => control.injectFault({ kind: 'bad_gateway', method: 'registration.poll' }))
  await ceremony.pass()
  await ceremony.pass(POLL_MS, () => control.scan({ act: 'confirm' }))
  expect(await ceremony.ended).toBeUndefined()
  expect(ceremony.saved).toHaveLength(1)
})

it.each([
  ['refuse', 'refused', 'refused by user'],
  ['expire', 'expired', 'expired'],
] as const)('believes a failure that stays for two minutes: %s', async (act, code, words) => {
  const scene = await openScene()
  const ceremony = begin(scene)
  await scene.waitingFor(POLL_MS)
  await scene.world.control.scan({ act })
  await scene.clock.advance(POLL_MS)
  for (let polls = 0; polls < 39; polls++) await ceremony.pass()
  await scene.waitingFor(POLL_MS)
  expect(await Promise.race([ceremony.ended, Promise.resolve('still waiting')])).toBe('still waiting')
  await scene.clock.advance(POLL_MS)
  expect(await ceremony.ended).toMatchObject({ code, message: expect.stringContaining(words) })
  expect(ceremony.saved).toEqual([])
})

it('waits until the new robot may connect, but saves it in any case', async () => {
  const scene = await openScene()
  const { control } = scene.world
  await control.injectFault({ kind: 'error', code: 'invalidParameter', method: 'connections.open', times: null })
  const ceremony = begin(scene)
  await scene.waitingFor(POLL_MS)
  await control.scan({ act: 'confirm' })
  await scene.clock.advance(POLL_MS)
  for (let tries = 0; tries < 19; tries++) await ceremony.pass()
  await scene.waitingFor(POLL_MS)
  expect(ceremony.steps.at(-1)).toMatchObject({ state: 'scanned' })
  expect(ceremony.saved).toEqual([])
  await scene.clock.advance(POLL_MS)
  expect(await ceremony.ended).toBeUndefined()
  expect(ceremony.saved).toHaveLength(1)
})

it('saves again when that may help, since nobody can scan the same robot twice', async () => {
  const scene = await openScene()
  const ceremony = begin(scene, [new ChannelError('platform_unreachable'), new ChannelError('credentials_rejected')])
  await scene.waitingFor(POLL_MS)
  await scene.world.control.scan({ act: 'confirm' })
  await scene.clock.advance(POLL_MS)
  await ceremony.pass()
  await ceremony.pass()
  expect(await ceremony.ended).toBeUndefined()
  expect(ceremony.saved).toHaveLength(1)
})

it('does not save again what another account uses', async () => {
  const scene = await openScene()
  const ceremony = begin(scene, [new ChannelError('bot_in_use')])
  await scene.waitingFor(POLL_MS)
  await scene.world.control.scan({ act: 'confirm' })
  await scene.clock.advance(POLL_MS)
  expect(await ceremony.ended).toMatchObject({ code: 'bot_in_use' })
})

it.each(['registration.init', 'registration.begin'])('says that there is no code when %s fails', async (method) => {
  const scene = await openScene()
  await scene.world.control.injectFault({ kind: 'bad_gateway', method })
  const ceremony = begin(scene)
  expect(await ceremony.ended).toMatchObject({ code: 'unreachable', message: expect.stringContaining('no QR code') })
  expect(ceremony.steps).toEqual([])
})

it('ends when nobody waits any more', async () => {
  const scene = await openScene()
  const ceremony = begin(scene)
  await scene.waitingFor(POLL_MS)
  ceremony.cancel()
  expect(await ceremony.ended).toMatchObject({ name: 'AbortError' })
  expect(scene.clock.sleeping).toBe(0)
})

it('offers to paste credentials too', () => {
  expect(dingtalk.setups.map(({ kind }) => kind)).toEqual(['qr', 'paste'])
  const [, paste] = dingtalk.setups
  expect(paste?.instructions.join(' ')).toMatch(/Stream.*qyapi_robot_sendmsg.*Card\.Instance\.Write.*Publish/s)
})

it.each([
  ['before the scan', 0],
  ['after the robot was created, which the platform tells once', 1],
])('goes on after a restart: %s', async (_when, kept) => {
  const scene = await openScene()
  const { control, credentials } = scene.world
  const before = begin(scene)
  await scene.waitingFor(POLL_MS)
  if (kept === 1) {
    await control.scan({ act: 'confirm' })
    await scene.clock.advance(POLL_MS)
    expect(await before.ended).toBeUndefined()
  } else {
    before.cancel()
    await before.ended
    await control.scan({ act: 'confirm' })
  }
  const progress: unknown = JSON.parse(JSON.stringify(before.kept[kept]))
  const after = begin(scene, [], progress)
  expect(await after.ended).toBeUndefined()
  expect(after.steps[0]?.url).toBe(before.steps[0]?.url)
  expect(after.saved).toEqual([{ fields: credentials }])
  expect(await control.requests({ method: 'registration.begin' })).toHaveLength(1)
})
