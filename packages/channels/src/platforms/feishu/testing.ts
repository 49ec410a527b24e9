import { onTestFinished } from 'vitest'
import type { Connection } from '../../connection.ts'
import type { Chat, OutboundTextPart } from '../../message.ts'
import type { ManualClock } from '../../testing/clock.ts'
import { testIo, type TestIo } from '../wire/testing.ts'
import { type FeishuWorld, startFeishuWorld } from './feishu.contract.ts'
import { feishu } from './platform.ts'

/** An emulator with a sender for one test. */
export interface Scene {
  readonly world: FeishuWorld
  readonly clock: ManualClock
  readonly io: TestIo
  readonly connection: Connection
}

/** An emulator and a connection to it. */
export async function openScene(options: Parameters<typeof startFeishuWorld>[0] = {}): Promise<Scene> {
  const world = await startFeishuWorld(options)
  onTestFinished(() => world.close())
  const io = testIo({ random: () => 0.5, host: world.host })
  return { world, clock: io.clock, io, connection: feishu.connect(world.credentials, io) }
}

/** The direct chat of tests. */
export const CHAT: Chat = { id: 'oc_p2p_ann', kind: 'direct' }

/** A text part to the person who writes in these tests. */
export const textPart = (body: string, more: Partial<OutboundTextPart> = {}): OutboundTextPart => ({
  kind: 'text',
  deliveryId: '0198c5a0-0000-7000-8000-000000000001.1',
  chat: CHAT,
  body,
  plain: false,
  ...more,
})

/** The bodies of calls as they came over the wire. */
export async function listBodies(
  world: FeishuWorld,
  method: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const requests = await world.control.requests({ method })
  return requests.map(({ body }) => JSON.parse(body) as Readonly<Record<string, unknown>>) // all of these are objects
}
