import { testDatabases } from '@gatepost/sql/testing'
import { expect, it, onTestFinished } from 'vitest'
import type { Assistant } from '../../assistant/assistant.ts'
import { OWNER, openServiceWorld, refusal, type ServiceNode, type ServiceWorld } from '../../testing/service-world.ts'
import { never } from '../wire/testing.ts'
import { startWecomWorld, type WecomWorld } from './wecom.contract.ts'

const WECOM = 'wecom'
const ANN = 'ann'

interface Journey {
  readonly service: ServiceWorld
  readonly phone: WecomWorld
  start(assistant?: Assistant): Promise<ServiceNode>
  texts(): Promise<readonly string[]>
  running(node: ServiceNode): Promise<void>
  answeredTo(text: string): Promise<void>
}

async function begin(): Promise<Journey> {
  const open = testDatabases[0]?.[1]
  if (open === undefined) throw new Error('no database')
  const service = await openServiceWorld(open)
  onTestFinished(() => service.close())
  const phone = await startWecomWorld({ clock: service.clock })
  onTestFinished(() => phone.close())
  const { url, wsUrl, control } = phone.emulator
  const hosts = { GATEPOST_WECOM_WS_URL: wsUrl, GATEPOST_WECOM_SETUP_URL: url, GATEPOST_WECOM_PROBE_URL: url }
  const texts = async (): Promise<readonly string[]> => (await control.sent({ chatId: ANN })).map(({ text }) => text)
  return {
    service,
    phone,
    texts,
    start: (assistant) => service.start({ hosts, ...(assistant && { assistant }) }),
    running: ({ channels }) => service.until(async () => (await channels.details(OWNER, WECOM)).state === 'running'),
    async answeredTo(text) {
      await phone.say(text)
      await service.until(async () => (await texts()).includes(`echo: ${text}`))
    },
  }
}

it('is saved, answers, sends, is disabled and enabled, and is found in order', async () => {
  const { service, phone, start, texts, running, answeredTo } = await begin()
  const node = await start()
  const { channels } = node
  await channels.save(OWNER, WECOM, phone.credentials)
  const { bot_id } = phone.credentials
  expect((await channels.list(OWNER)).find(({ platform }) => platform === WECOM)).toEqual({
    platform: WECOM,
    enabled: true,
    running: true,
    has_config: true,
    bot_id,
  })
  expect(await refusal(channels.send(OWNER, WECOM, 'too early', null))).toMatchObject({ code: 'no_known_users' })
  await answeredTo('hello')
  await channels.send(OWNER, WECOM, 'by the **way**', null)
  await channels.disable(OWNER, WECOM)
  expect(await refusal(channels.send(OWNER, WECOM, 'while it is off', null))).toMatchObject({ code: 'not_running' })
  await channels.save(OWNER, WECOM, { enabled: true })
  await running(node)
  await channels.send(OWNER, WECOM, 'still known', null)
  expect(await texts()).toEqual(['echo: hello', 'by the **way**', 'still known'])
  const checks = await channels.diagnose(OWNER, WECOM, never)
  // this test writes no log file
  expect(checks.filter(({ id, status }) => status !== 'pass' && id !== 'log_today' && id !== 'clock')).toEqual([])
  expect(checks.map(({ id }) => id)).toContain('not_taken_over')
  expect(service.log.join('\n')).not.toContain(phone.credentials.secret)
})

it('says in a sentence what is wrong with what was pasted', async () => {
  const { phone, start } = await begin()
  const { channels } = await start()
  const { bot_id, secret } = phone.credentials
  for (const [given, sentence] of [
    [{ bot_id: secret, secret: bot_id }, /look swapped/],
    [{ bot_id: 'x', secret }, /must start with aib/],
  ] as const) {
    const error = await refusal(channels.save(OWNER, WECOM, given))
    expect(error).toMatchObject({ code: 'credentials_invalid', status: 422, message: sentence })
  }
  await channels.save(OWNER, WECOM, { bot_id: ` ${bot_id} `, secret: `${secret}\n` })
  const rejected = await refusal(channels.save(OWNER, WECOM, phone.strangers))
  expect(rejected).toMatchObject({ code: 'credentials_rejected', status: 422, message: /invalid bot_id \(93019\)/ })
})

it('goes on with the bot before when new credentials are rejected', async () => {
  const { phone, start, running, answeredTo } = await begin()
  const node = await start()
  const { channels } = node
  await channels.save(OWNER, WECOM, phone.credentials)
  expect(await refusal(channels.save(OWNER, WECOM, phone.strangers))).toMatchObject({ code: 'credentials_rejected' })
  await running(node)
  await answeredTo('hello')
})

it('writes an answer into one bubble while it grows', async () => {
  const { service, phone, start, texts } = await begin()
  const steps = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const node = await start({
    async *reply() {
      yield { type: 'text', text: 'one' }
      await steps[0]?.promise
      yield { type: 'text', text: ' two' }
      await steps[1]?.promise
      yield { type: 'text', text: ' three' }
    },
  })
  await node.channels.save(OWNER, WECOM, phone.credentials)
  await phone.say('count')
  await service.until(async () => (await texts()).includes('one'), 100)
  steps[0]?.resolve()
  await service.until(async () => (await texts()).includes('one two'), 100)
  steps[1]?.resolve()
  await service.until(async () => (await texts()).includes('one two three'), 100)
  await service.until(async () => (await phone.emulator.control.sent())[0]?.unfinished === false, 100)
  expect(await texts()).toEqual(['one two three'])
  expect(await phone.emulator.control.requests({ method: 'aibot_send_msg' })).toEqual([])
})

it('says the whole answer after a connection was lost in the middle of it', async () => {
  const { service, phone, start, texts } = await begin()
  const step = Promise.withResolvers<void>()
  const node = await start({
    async *reply() {
      yield { type: 'text', text: 'half' }
      await step.promise
      yield { type: 'text', text: ' and half' }
    },
  })
  await node.channels.save(OWNER, WECOM, phone.credentials)
  await phone.say('question')
  await service.until(async () => (await texts()).includes('half'), 100)
  await phone.emulator.control.dropConnections()
  await service.until(
    async () => (await phone.emulator.control.requests({ method: 'aibot_subscribe' })).length === 2,
    100,
  )
  step.resolve()
  await service.until(async () => (await texts()).includes('half and half'), 100)
  // the bubble that lost its connection can be changed no more
  expect(await texts()).toEqual(['half', 'half and half'])
})

it('stays away when it was taken over, says so, and comes back when it is told to', async () => {
  const { service, phone, start, running, answeredTo } = await begin()
  const node = await start()
  const { channels } = node
  await channels.save(OWNER, WECOM, phone.credentials)
  await running(node)
  await phone.emulator.control.injectFault({ kind: 'kick' })
  await service.until(async () => (await channels.details(OWNER, WECOM)).state !== 'running')
  await service.clock.advance(600_000)
  const details = await channels.details(OWNER, WECOM)
  expect(details).toMatchObject({ running: false, reason: 'taken_over', message: /Another gateway/ })
  expect(await phone.emulator.control.requests({ method: 'aibot_subscribe' })).toHaveLength(1)
  await channels.save(OWNER, WECOM, { enabled: true })
  await service.until(async () => (await channels.details(OWNER, WECOM)).state === 'running', 100)
  await answeredTo('back again')
  const { gaps } = await channels.details(OWNER, WECOM)
  expect(gaps).toHaveLength(1)
})

it('tells what was lost while nobody listened', async () => {
  const { service, phone, start, running, texts, answeredTo } = await begin()
  const first = await start()
  await first.channels.save(OWNER, WECOM, phone.credentials)
  await answeredTo('hello')
  await first.stop()
  await phone.say('anybody there?')
  await service.clock.advance(3_600_000)
  const second = await start()
  await service.until(async () => (await second.channels.details(OWNER, WECOM)).state === 'running', 100)
  await running(second)
  const { gaps } = await second.channels.details(OWNER, WECOM)
  expect(gaps).toMatchObject([{ why: expect.stringContaining("doesn't keep messages") as unknown }])
  await second.channels.send(OWNER, WECOM, 'I was away', ANN)
  expect(await texts()).toEqual(['echo: hello', 'I was away'])
})
