import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openServiceWorld, OWNER, refusal, type ServiceNode, type ServiceWorld } from './testing/service-world.ts'

const ANN = { id: 42, first_name: 'Ann', username: 'ann' }
const TELEGRAM = 'telegram'
const never = new AbortController().signal

describe.each(testDatabases.filter(([name]) => name === 'sqlite'))('the credentials file on %s', (_name, open) => {
  let world: ServiceWorld
  let node: ServiceNode
  beforeEach(async () => {
    world = await openServiceWorld(open)
    node = await world.start()
  })
  afterEach(() => world.close())

  const save = (body: unknown): Promise<void> => node.channels.save(OWNER, TELEGRAM, body)
  const enable = (): Promise<void> => save({ bot_token: world.token })
  const entry = async (): Promise<object | undefined> =>
    (await node.channels.list(OWNER)).find(({ platform }) => platform === TELEGRAM)
  const state = async (): Promise<string> => (await node.channels.details(OWNER, TELEGRAM)).state
  const answered = (count: number): Promise<void> =>
    world.until(async () => (await world.control.sent()).length >= count)

  const file = (): string => path.join(world.dataDir, 'accounts', 'owner', 'channels.yml')
  /** The watch looks every two seconds. */
  const watched = (): Promise<void> => world.clock.advance(2_000)

  it('is taken over when it is edited by hand, without a restart', async () => {
    await mkdir(path.dirname(file()), { recursive: true })
    await writeFile(file(), `platform_e:\n  bot_token: ${world.token}\n  allowed_users: [42]\n`)
    await watched()
    await world.until(async () => (await state()) === 'running')
    expect(await entry()).toMatchObject({ enabled: true, running: true, allowed_users: ['42'] })
    await writeFile(file(), `platform_e:\n  enabled: false\n  bot_token: ${world.token}\n`)
    await watched()
    await world.until(async () => (await state()) === 'stopped')
    await rm(file())
    await watched()
    expect(await entry()).toMatchObject({ has_config: false })
  })

  it('is neither overwritten nor obeyed while it is broken', async () => {
    await enable()
    const good = await readFile(file(), 'utf8')
    const broken = `${good}  bot_token: "s3cret\n`
    await writeFile(file(), broken)
    await watched()
    await world.until(() => world.log.some((line) => line.includes("Couldn't apply the changed credentials")))
    for (const work of [
      enable,
      () => save({ enabled: false }),
      () => node.channels.disable(OWNER, TELEGRAM),
      () => node.channels.list(OWNER),
    ]) {
      const error = await refusal(work())
      expect(error).toMatchObject({ code: 'config_broken', status: 503 })
      expect(error.message).toMatch(/line \d+, column \d+/)
    }
    expect(await readFile(file(), 'utf8')).toBe(broken)
    await world.control.say({ from: ANN, text: 'hello' })
    await answered(1)
    const complaints = world.log.filter((line) => line.includes("Couldn't apply the changed credentials")).length
    await world.clock.advance(20_000)
    expect(world.log.filter((line) => line.includes("Couldn't apply the changed credentials"))).toHaveLength(complaints)
    expect(world.log.join('\n')).not.toContain('s3cret')
    const [check] = await node.channels.diagnose(OWNER, TELEGRAM, never)
    expect(check).toMatchObject({ id: 'config_readable', status: 'fail' })
    await writeFile(file(), good)
    await node.channels.disable(OWNER, TELEGRAM)
    expect(await entry()).toMatchObject({ enabled: false })
  })

  it('shows credentials of the wrong form as what they are', async () => {
    await mkdir(path.dirname(file()), { recursive: true })
    await writeFile(file(), `telegram:\n  bot_token: s3cret\n  stray: 1\n`)
    await chmod(file(), 0o644)
    await watched()
    expect(await entry()).toMatchObject({ enabled: true, running: false, has_config: true, has_token: false })
    const details = await node.channels.details(OWNER, TELEGRAM)
    expect(details).toMatchObject({ state: 'stopped', reason: 'config_broken', bot: null })
    expect(JSON.stringify([details, world.log])).not.toContain('s3cret')
    await enable()
    expect(await entry()).toMatchObject({ running: true, has_token: true })
    expect((await stat(file())).mode & 0o777).toBe(0o600)
    await writeFile(file(), `telegram:\n  bot_token: ''\n`)
    expect(await entry()).toMatchObject({ has_config: false })
    expect(await refusal(save({ enabled: true }))).toMatchObject({ code: 'no_credentials' })
  })
})
