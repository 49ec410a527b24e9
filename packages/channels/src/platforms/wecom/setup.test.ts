import { expect, it, onTestFinished } from 'vitest'
import { ChannelError } from '../../errors.ts'
import { SetupFailure } from '../../setup/guide.ts'
import { personAt } from '../../setup/testing.ts'
import { manualClock } from '../../testing/clock.ts'
import { testIo } from '../wire/testing.ts'
import { wecomSetups } from './setup.ts'
import { startWecomWorld } from './wecom.contract.ts'

const guide = (kind: string): (typeof wecomSetups)[number] => {
  const found = wecomSetups.find((one) => one.kind === kind)
  if (found === undefined) throw new Error(`there is no way ${kind}`)
  return found
}

async function scan() {
  const clock = manualClock(Date.now())
  const world = await startWecomWorld({ clock })
  onTestFinished(() => world.close())
  const person = personAt(testIo({ clock, host: world.host }))
  const { control } = world.emulator
  let over = false
  const run = (): Promise<unknown> =>
    person.follow(guide('qr')).finally(() => {
      over = true
    })
  /** The next polls, until `enough` or the end. */
  const poll = async (enough: () => boolean = () => false): Promise<void> => {
    while (!over && !enough()) {
      if (clock.sleeping > 0) await clock.advance(3_000)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { world, control, clock, steps: person.steps, saved: person.saved, run, poll }
}

it('creates a bot by a code: shown, scanned, confirmed, saved', async () => {
  const { world, control, clock, steps, saved, run, poll } = await scan()
  const done = run()
  await poll(() => steps.length > 0)
  expect(steps).toMatchObject([{ state: 'waiting', scannable: true, expiresAtMs: clock.now() + 5 * 60_000 }])
  expect(steps[0]?.url).toContain(world.emulator.url)
  await control.scan({ act: 'scan' })
  await poll(() => steps.length > 1)
  expect(steps[1]).toMatchObject({ state: 'scanned', url: steps[0]?.url })
  await control.scan({ act: 'confirm' })
  await poll()
  expect(await done).toBeUndefined()
  expect(saved).toEqual([{ fields: world.credentials }])
})

it.each([
  ['refuse', 'refused'],
  ['expire', 'expired'],
] as const)('ends in words that a person understands: %s', async (act, code) => {
  const { control, steps, saved, run, poll } = await scan()
  const done = run()
  await poll(() => steps.length > 0)
  await control.scan({ act })
  await poll()
  expect(await done).toMatchObject({ name: 'SetupFailure', code })
  expect(saved).toEqual([])
})

it('ends by itself when nobody scans', async () => {
  const { clock, run, poll } = await scan()
  const began = clock.now()
  const done = run()
  await poll()
  expect(await done).toMatchObject({ code: 'expired' })
  expect(clock.now() - began).toBeLessThanOrEqual(5 * 60_000 + 10_000)
})

it('says when this way is not offered', async () => {
  const { control, run, poll } = await scan()
  await control.injectFault({ kind: 'error', code: 40058, method: 'qc.generate' })
  const done = run()
  await poll()
  const error = await done
  expect(error).toBeInstanceOf(SetupFailure)
  expect(error).toMatchObject({ code: 'not_available', message: expect.stringContaining('admin console') as unknown })
})

it('outlives a minute without an answer, and not many', async () => {
  const { control, steps, saved, run, poll } = await scan()
  const done = run()
  await poll(() => steps.length > 0)
  await control.injectFault({ kind: 'bad_gateway', method: 'qc.query_result', times: 20 })
  await control.scan({ act: 'confirm' })
  await poll()
  expect(await done).toBeUndefined()
  expect(saved).toHaveLength(1)
  const other = await scan()
  await other.control.injectFault({ kind: 'drop_before', method: 'qc.query_result', times: null })
  const ended = other.run()
  await other.poll()
  expect(await ended).toMatchObject({ code: 'unreachable' })
})

it('asks for Bot ID and Secret until they are accepted', async () => {
  const answers = [
    { bot_id: 'wrong', secret: 'x' },
    { bot_id: 'aibX', secret: 'right' },
  ]
  const { questions, follow } = personAt(testIo(), {
    answer: (_question, count) => answers[count - 1],
    save(fields) {
      if (fields['bot_id'] === 'wrong') throw new ChannelError('credentials_invalid', { message: 'bot_id is wrong.' })
    },
  })
  expect(await follow(guide('paste'))).toBeUndefined()
  expect(questions.map(({ message }) => message)).toEqual(['Paste Bot ID and Secret.', 'bot_id is wrong.'])
  const fields = [
    { name: 'bot_id', secret: false },
    { name: 'secret', secret: true },
  ]
  expect(questions).toMatchObject([{ fields }, { fields }])
})
