import { onTestFinished } from 'vitest'
import type { Connection } from '../../connection.ts'
import type { Chat, OutboundTextPart } from '../../message.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { type ManualClock, manualClock } from '../../testing/clock.ts'
import { run, testIo, until, type Run } from '../wire/testing.ts'
import { type DingtalkWorld, startDingtalkWorld } from './dingtalk.contract.ts'
import { dingtalk } from './platform.ts'

/** A bot in an emulated world, for one test. */
export interface Scene {
  readonly world: DingtalkWorld
  readonly clock: ManualClock
  readonly io: PlatformIo
  readonly connection: Connection
  /** Lets the connection run into an inbox until the test ends. @param stored Keeps `accept` from resolving. */
  listen(stored?: Promise<void>): Run
  part(chat: Chat, body: string): OutboundTextPart
  /** Resolves when someone begins to wait for exactly `ms`, now or from now on. */
  waitingFor(ms: number): Promise<void>
  /** How often the emulator was called like this. */
  calls(method: string): Promise<number>
}

/** Starts an emulator and a bot that is not connected yet. */
export async function openScene(options: Parameters<typeof startDingtalkWorld>[0] = {}): Promise<Scene> {
  const world = await startDingtalkWorld(options)
  onTestFinished(() => world.close())
  const clock = manualClock(Date.now())
  const waits: number[] = []
  const sleep: PlatformIo['clock']['sleep'] = (ms, signal) => {
    waits.push(ms)
    return clock.sleep(ms, signal)
  }
  const io = { ...testIo({ random: () => 0.5, host: world.host }), clock: { now: clock.now, sleep } }
  const connection = dingtalk.connect(world.credentials, io)
  let parts = 0
  return {
    world,
    clock,
    io,
    connection,
    listen: (stored) => run(connection, stored === undefined ? {} : { stored }),
    part: (chat, body) => ({ kind: 'text', deliveryId: `turn-${++parts}.1`, chat, body, plain: false }),
    async waitingFor(ms) {
      await until(() => waits.includes(ms))
      waits.splice(waits.indexOf(ms), 1)
    },
    calls: async (method) => (await world.control.requests({ method })).length,
  }
}
