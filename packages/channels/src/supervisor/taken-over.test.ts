import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ChannelDetails } from '../channels.ts'
import { startWecomWorld, type WecomWorld } from '../platforms/wecom/wecom.contract.ts'
import { openServiceWorld, OWNER, type ServiceNode, type ServiceWorld } from '../testing/service-world.ts'

const WECOM = 'wecom'

describe.each(testDatabases)('a bot that another program has taken over, on %s', (_name, open) => {
  let service: ServiceWorld
  let phone: WecomWorld
  let one: ServiceNode
  let nodes: ServiceNode[]
  beforeEach(async () => {
    service = await openServiceWorld(open)
    phone = await startWecomWorld({ clock: service.clock })
    nodes = []
    one = await start()
    await one.channels.save(OWNER, WECOM, phone.credentials)
  })
  afterEach(async () => {
    await service.close()
    await phone.close()
  })

  async function start(): Promise<ServiceNode> {
    const { url, wsUrl } = phone.emulator
    const hosts = { GATEPOST_WECOM_WS_URL: wsUrl, GATEPOST_WECOM_SETUP_URL: url, GATEPOST_WECOM_PROBE_URL: url }
    const node = await service.start({ hosts: { ...hosts, GATEPOST_TELEGRAM_API_URL: service.url } })
    nodes.push(node)
    return node
  }
  const details = (node: ServiceNode): Promise<ChannelDetails> => node.channels.details(OWNER, WECOM)
  const goOn = async (so: () => Promise<boolean>): Promise<void> => {
    // no faster than databases and sockets answer
    while (!(await so())) {
      await pass(100, ...nodes)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const is = (node: ServiceNode, state: string, reason: string | null): Promise<void> =>
    goOn(async () => {
      const now = await details(node)
      return now.state === state && now.reason === reason
    })
  const subscribed = async (): Promise<number> =>
    (await phone.emulator.control.requests({ method: 'aibot_subscribe' })).length
  async function pass(ms: number, ...nodes: ServiceNode[]): Promise<void> {
    for (let left = ms; left > 0; left -= 1_000) {
      await service.clock.advance(Math.min(left, 1_000))
      for (const node of nodes) await node.database.idle()
    }
  }

  it('stays so when another platform is set up', async () => {
    await phone.emulator.control.injectFault({ kind: 'kick' })
    await is(one, 'stopped', 'taken_over')
    await one.channels.save(OWNER, 'telegram', { bot_token: service.token })
    await pass(10_000, one)
    expect(await details(one)).toMatchObject({ state: 'stopped', reason: 'taken_over' })
    expect(await subscribed()).toBe(1)
    await one.channels.save(OWNER, WECOM, { enabled: true })
    await is(one, 'running', null)
  })

  it('is left alone by every process, until a person enables it at any of them', async () => {
    const two = await start()
    await pass(3_000, one, two)
    expect(await details(two)).toMatchObject({ state: 'running' })
    await phone.emulator.control.injectFault({ kind: 'kick' })
    await is(one, 'stopped', 'taken_over')
    await is(two, 'stopped', 'taken_over')
    await pass(30_000, one, two)
    expect(await subscribed()).toBe(1)
    await two.channels.save(OWNER, WECOM, { enabled: true })
    await is(two, 'running', null)
    await is(one, 'running', null)
    expect(await subscribed()).toBe(2)
    // the one that was taken over is there again when it is needed
    await two.stop()
    await is(one, 'running', null)
    await goOn(async () => (await subscribed()) === 3)
  })
})
