import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startWecomWorld, type WecomWorld } from '../platforms/wecom/wecom.contract.ts'
import { openServiceWorld, OWNER, refusal, type ServiceNode, type ServiceWorld } from '../testing/service-world.ts'

const WECOM = 'wecom'

describe.each(testDatabases)('credentials that another process must prove, on %s', (_name, open) => {
  let service: ServiceWorld
  let phone: WecomWorld
  let one: ServiceNode
  let two: ServiceNode
  let nodes: readonly ServiceNode[]
  beforeEach(async () => {
    service = await openServiceWorld(open)
    phone = await startWecomWorld({ clock: service.clock })
    const { url, wsUrl } = phone.emulator
    const hosts = { GATEPOST_WECOM_WS_URL: wsUrl, GATEPOST_WECOM_SETUP_URL: url, GATEPOST_WECOM_PROBE_URL: url }
    one = await service.start({ hosts })
    await one.channels.save(OWNER, WECOM, phone.credentials)
    two = await service.start({ hosts })
    nodes = [one, two]
    await runs(two)
  })
  afterEach(async () => {
    await service.close()
    await phone.close()
  })

  /** The time goes on until it is so, no faster than databases and sockets answer. */
  async function goOn(so: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await so())) {
      const states = await Promise.all(nodes.map((node) => node.channels.details(OWNER, WECOM)))
      // a socket that is being opened answers by its own time
      await service.clock.advance(states.some(({ state }) => state === 'connecting') ? 10 : 50)
      for (const node of nodes) await node.database.idle()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const runs = (node: ServiceNode): Promise<void> =>
    goOn(async () => (await node.channels.details(OWNER, WECOM)).state === 'running')
  async function during<T>(saving: Promise<T>): Promise<T> {
    let isOver = false
    const over = (): void => void (isOver = true)
    void saving.then(over, over)
    await goOn(() => isOver)
    return saving
  }

  it('are put back when it cannot connect with them', async () => {
    const wrong = { ...phone.credentials, secret: `${phone.credentials.secret.slice(0, -4)}xxxx` }
    expect(await during(refusal(two.channels.save(OWNER, WECOM, wrong)))).toMatchObject({
      code: 'credentials_rejected',
    })
    await runs(one)
    await runs(two)
    await phone.say('still there?')
    await goOn(async () => (await phone.emulator.control.sent()).length === 1)
  })

  it('are taken when they are the same, and nobody connects anew', async () => {
    await during(two.channels.save(OWNER, WECOM, phone.credentials))
    await runs(two)
    expect(await phone.emulator.control.requests({ method: 'aibot_subscribe' })).toHaveLength(1)
  })
})
