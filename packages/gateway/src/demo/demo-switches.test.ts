import { startEmulators } from '@gatepost/emulators'
import { expect, it } from 'vitest'
import { GatewayError } from '../server/errors.ts'
import { systemClock } from '../system-clock.ts'
import { toDemoSwitches, findSwitchId } from './demo-emulator.ts'
import { emulatedDemo } from './emulated-demo.ts'

it('knows of every fault that waits which switch has made it', async () => {
  await using cleanup = new AsyncDisposableStack()
  const emulators = await startEmulators()
  for (const emulator of emulators) cleanup.defer(() => emulator.close())
  const demo = await emulatedDemo(emulators, systemClock)
  const wrong: string[] = []
  for (const { platform, control } of emulators) {
    const switches = toDemoSwitches(await control.switches())
    expect(switches.map(({ id }) => id)).toContain('cut')
    for (const { id, fault } of switches) {
      await demo.act(platform, 'injectFault', fault).catch((error: unknown) => {
        if (!(error instanceof GatewayError && error.code === 'demo_refused')) throw error // it needs a connection
      })
      const made = await control.faults() // none where it happens at once
      wrong.push(...made.flatMap(({ spec }) => (findSwitchId(switches, spec) === id ? [] : [`${platform}: ${id}`])))
      await demo.act(platform, 'clearFaults', {})
    }
  }
  expect(wrong).toEqual([])
})
