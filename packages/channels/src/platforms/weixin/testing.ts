import { onTestFinished } from 'vitest'
import type { Connection } from '../../connection.ts'
import type { OutboundTextPart } from '../../message.ts'
import { testIo, type TestIo } from '../wire/testing.ts'
import { weixin } from './platform.ts'
import { startWeixinWorld, type WeixinWorld } from './weixin.contract.ts'

/** The emulator, a connection to it, and what that needs to be run. */
export async function openWorld(
  options: Parameters<typeof startWeixinWorld>[0] = {},
): Promise<{ world: WeixinWorld; io: TestIo; connection: Connection }> {
  const world = await startWeixinWorld(options)
  onTestFinished(() => world.close())
  const io = testIo({ host: world.host })
  return { world, io, connection: weixin.connect(world.credentials, io) }
}

let parts = 0
/** A text to Ann. */
export const partFor = (body: string): OutboundTextPart => ({
  kind: 'text',
  deliveryId: `turn-${++parts}.1`,
  chat: { id: 'ann@im.wechat', kind: 'direct' },
  body,
  plain: false,
})
