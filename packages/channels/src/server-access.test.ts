import { createServer } from 'node:http'
import { createPublicNetwork } from '@gatepost/sql'
import { testDatabases } from '@gatepost/sql/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openServiceWorld, OTHER, OWNER, refusal, type ServiceWorld } from './testing/service-world.ts'

describe.each(testDatabases)("a bot's own server on %s", (_name, open) => {
  const openWorld = async (): Promise<ServiceWorld> => {
    const world = await openServiceWorld(open)
    onTestFinished(() => world.close())
    return world
  }
  /** Another platform host than the emulator, so that the emulator counts as a server of one's own. */
  const elsewhere = { hosts: { GATEPOST_TELEGRAM_API_URL: 'https://api.telegram.org' } }

  it('must have a public address, except for the owner', async () => {
    const world = await openWorld()
    const { channels } = await world.start(elsewhere)
    const body = { bot_token: world.token, base_url: world.url }
    for (const ask of [() => channels.save(OTHER, 'telegram', body), () => channels.test(OTHER, 'telegram', body)])
      expect(await refusal(ask())).toMatchObject({ code: 'server_not_public', status: 422 })
    expect(await world.control.requests({})).toEqual([])
    await channels.save(OWNER, 'telegram', body)
    expect(await channels.details(OWNER, 'telegram')).toMatchObject({ state: 'running' })
  })

  it('may be private where the operator allows it', async () => {
    const world = await openWorld()
    const publicNetwork = createPublicNetwork({ allowed: ['127.0.0.0/8'] })
    const { channels } = await world.start({ ...elsewhere, publicNetwork })
    await channels.save(OTHER, 'telegram', { bot_token: world.token, base_url: world.url })
    expect(await channels.details(OTHER, 'telegram')).toMatchObject({ state: 'running' })
  })

  it('is not reached by a channel that is already stored, nor by the doctor', async () => {
    const world = await openWorld()
    const allowed = await world.start({ ...elsewhere, publicNetwork: createPublicNetwork({ allowed: ['127.0.0.1'] }) })
    await allowed.channels.save(OTHER, 'telegram', { bot_token: world.token, base_url: world.url })
    await allowed.stop()
    const before = (await world.control.requests({})).length
    const { channels } = await world.start(elsewhere)
    await world.until(async () => (await channels.details(OTHER, 'telegram')).state === 'backing_off')
    expect(await channels.details(OTHER, 'telegram')).toMatchObject({ reason: 'network' })
    const checks = await channels.diagnose(OTHER, 'telegram', new AbortController().signal)
    expect(checks.some(({ status }) => status === 'fail')).toBe(true)
    expect((await world.control.requests({})).length).toBe(before)
  })

  it("cannot take another server's bot away", async () => {
    const world = await openWorld()
    const id = Number(world.token.split(':')[0])
    let polls = 0
    const fake = createServer((request, response) => {
      const isPoll = request.url?.endsWith('/getUpdates') === true
      if (isPoll && ++polls > 2) return // without news, the request is held
      const me = { id, is_bot: true, first_name: 'x', username: 'x_bot' }
      const result = isPoll ? [] : request.url?.endsWith('/getMe') ? me : true
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ok: true, result }))
    })
    await new Promise<void>((resolve) => fake.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => fake.close().closeAllConnections())
    const address = fake.address()
    const base_url = `http://squatter.example:${typeof address === 'object' && address !== null ? address.port : 0}`
    const publicNetwork = createPublicNetwork({
      allowed: ['squatter.example'],
      find: async () => [{ address: '127.0.0.1', family: 4 }],
    })
    const { channels } = await world.start({ publicNetwork })
    await channels.save(OTHER, 'telegram', { bot_token: `${id}:${'x'.repeat(35)}`, base_url })
    expect(await channels.details(OTHER, 'telegram')).toMatchObject({ bot: { id: String(id) } })
    await channels.save(OWNER, 'telegram', { bot_token: world.token })
    expect(await channels.details(OWNER, 'telegram')).toMatchObject({ state: 'running' })
  })
})
