import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import { type ClientWorld, clientWorld, memoryStorage } from './testing/client-world.ts'

const EMAIL = 'ada@example.org'
const PASSWORD = 'a made-up pass phrase'

type HeadlessInput = NonNullable<AuthSettingsInput['headless']>

let site: ClientWorld
afterEach(() => site.close())

async function open(headless: HeadlessInput = {}): Promise<void> {
  site = await clientWorld({ settings: { headless } })
  await site.world.addUser({ username: 'ada', email: EMAIL, password: PASSWORD })
}

describe('a client of a storage', () => {
  it('that could not be read once, asks it again', async () => {
    await open()
    const storage = memoryStorage()
    await site.app(storage).login({ email: EMAIL, password: PASSWORD })
    const get = storage.get.bind(storage)
    const failing = { ...storage, get: () => Promise.reject<string>(new Error('locked')) }
    const client = site.app(failing)
    await expect(client.getSession()).rejects.toThrow('locked')
    expect((await site.app(Object.assign(failing, { get })).getSession()).status).toBe(200)
    expect((await client.getSession()).status).toBe(200)
  })

  it('that is slow, ends with the newest token', async () => {
    await open()
    const storage = memoryStorage()
    const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const client = site.app({
      ...storage,
      async set(name, value) {
        if (value !== null) {
          begun.resolve()
          await released.promise
        }
        await storage.set(name, value)
      },
    })
    const login = client.login({ email: EMAIL, password: PASSWORD })
    await begun.promise
    const forgotten = client.forget()
    await Promise.race([forgotten, setImmediate()])
    released.resolve()
    await Promise.all([login, forgotten])
    expect(storage.tokens.size).toBe(0)
  })

  it('that another window writes to, goes on with the newer session of that one', async () => {
    await open()
    const storage = memoryStorage()
    const [one, two] = [site.app(storage), site.app(storage)]
    await one.login({ email: EMAIL, password: PASSWORD })
    expect((await two.getSession()).status).toBe(200)
    await two.changePassword({ current_password: PASSWORD, new_password: 'another made-up phrase' })
    const newest = storage.tokens.get('session_token')
    expect((await one.getSession()).status).toBe(200)
    expect(storage.tokens.get('session_token')).toBe(newest)
    expect(one.authentication()?.isAuthenticated).toBe(true)
    expect((await one.logout()).status).toBe(401)
    expect(storage.tokens.size).toBe(0)
  })

  it('that another window writes to is cleared too', async () => {
    await open()
    const storage = memoryStorage()
    const [one, two] = [site.app(storage), site.app(storage)]
    await one.getSession()
    await two.login({ email: EMAIL, password: PASSWORD })
    await one.forget()
    expect(storage.tokens.size).toBe(0)
  })

  it('that another window refreshes with, waits until the next refresh token is there', async () => {
    await open({ tokenStrategy: 'jwt', jwtAlgorithm: 'HS256', jwtPrivateKey: 'made-up '.repeat(5) })
    const storage = memoryStorage()
    const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let isSlow = false
    const one = site.app({
      ...storage,
      async set(name, value) {
        if (isSlow) {
          begun.resolve()
          await released.promise
        }
        await storage.set(name, value)
      },
    })
    const two = site.app(storage)
    await one.login({ email: EMAIL, password: PASSWORD })
    expect((await two.getSession()).status).toBe(200)
    site.world.clock.advance(6 * 60_000)
    isSlow = true
    const first = one.getSession()
    await begun.promise
    site.world.clock.advance(1_000)
    const second = two.getSession()
    await Promise.race([second, setImmediate()])
    released.resolve()
    expect([(await first).status, (await second).status]).toEqual([200, 200])
  })
})
