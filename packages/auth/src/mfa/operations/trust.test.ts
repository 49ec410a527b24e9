import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ApiBench, apiBench, readPath, type Person, type TotpApp } from '../../testing/api-bench.ts'
import { everywhere } from '../../testing/api-cases.ts'
import type { ApiVisitor } from '../../testing/api-visitor.ts'

const PATH = 'auth/2fa/trust'
const STAGE = { id: 'mfa_trust', is_pending: true }
const DAY_MS = 86_400_000

const browsers = everywhere.filter(([, client]) => client === 'browser')
const apps = everywhere.filter(([, client]) => client === 'app')

interface Waiting {
  readonly person: Person
  readonly app: TotpApp
  /** A client that has passed the second factor, and can trust its browser next. */
  readonly visitor: ApiVisitor
}

async function loginAwaitingTrust(bench: ApiBench): Promise<Waiting> {
  const person = await bench.person()
  const app = await bench.addTotp(await person.login())
  const visitor = await person.login()
  const answer = await visitor.post('auth/2fa/authenticate', { code: app.nextCode() })
  expect(answer.body).toMatchObject({ status: 401, meta: { is_authenticated: false } })
  expect(readPath(answer, 'data.flows')).toContainEqual(STAGE)
  return { person, app, visitor }
}

describe.each(browsers)('trusting a browser, %s', (_name, client, open) => {
  let bench: ApiBench
  beforeAll(async () => {
    bench = await apiBench(client, open, { mfa: { trustEnabled: true } })
  })
  afterAll(() => bench.world.close())

  it('is offered after the second factor, which is then skipped', async () => {
    const { person, visitor } = await loginAwaitingTrust(bench)
    const answer = await visitor.post(PATH, { trust: true })
    expect(answer.body).toMatchObject({ status: 200, meta: { is_authenticated: true } })
    expect(answer.headers.getSetCookie().some((line) => line.startsWith('mfa_trusted='))).toBe(true)
    expect((await visitor.delete('auth/session')).status).toBe(401)
    const again = await visitor.post('auth/login', person.credentials)
    expect(again.body).toMatchObject({ status: 200, data: { methods: [{ method: 'password' }] } })
    expect(readPath(again, 'data.methods')).toHaveLength(1)
    expect((await person.visitor().post('auth/login', person.credentials)).status).toBe(401)
  })

  it.each<[why: string, body: unknown]>([
    ['no', { trust: false }],
    ['nothing', {}],
    ['no body', undefined],
  ])('leaves everything as it is: %s', async (_why, body) => {
    const { person, visitor } = await loginAwaitingTrust(bench)
    const answer = await visitor.post(PATH, body)
    expect(answer.status).toBe(200)
    expect(visitor.cookies.has('mfa_trusted')).toBe(false)
    await visitor.delete('auth/session')
    expect((await visitor.post('auth/login', person.credentials)).status).toBe(401)
  })

  it.each([
    ['true', true],
    [1, true],
    ['false', false],
    [0, false],
    [[], false],
  ])('reads %j as true or false', async (trust, expected) => {
    const { visitor } = await loginAwaitingTrust(bench)
    expect((await visitor.post(PATH, { trust })).status).toBe(200)
    expect(visitor.cookies.has('mfa_trusted')).toBe(expected)
  })

  it('ends after its time, and when the second factors change', async () => {
    const { person, visitor } = await loginAwaitingTrust(bench)
    await visitor.post(PATH, { trust: true })
    const login = async (): Promise<number> => {
      await visitor.delete('auth/session')
      return (await visitor.post('auth/login', person.credentials)).status
    }
    expect(await login()).toBe(200)
    bench.world.clock.advance(13 * DAY_MS)
    expect(await login()).toBe(200)
    await bench.addKey(visitor)
    expect(await login()).toBe(401)
  })

  it('lasts two weeks', async () => {
    const { person, visitor } = await loginAwaitingTrust(bench)
    await visitor.post(PATH, { trust: true })
    await visitor.delete('auth/session')
    bench.world.clock.advance(14 * DAY_MS)
    expect((await visitor.post('auth/login', person.credentials)).status).toBe(401)
  })

  it('returns 401 without a pending login, whatever the input', async () => {
    const visitor = (await bench.person()).visitor()
    for (const body of [undefined, { trust: true }, '{']) expect((await visitor.post(PATH, body)).status).toBe(401)
    expect(visitor.cookies.has('mfa_trusted')).toBe(false)
  })
})

describe.each(browsers)('without trust, %s', (_name, client, open) => {
  it("the path doesn't exist", async () => {
    const bench = await apiBench(client, open)
    expect((await (await bench.person()).visitor().post(PATH, { trust: true })).status).toBe(404)
    await bench.world.close()
  })
})

describe.each(apps)('trusting apps, %s', (_name, client, open) => {
  it("isn't offered", async () => {
    const bench = await apiBench(client, open, { mfa: { trustEnabled: true } })
    const person = await bench.person()
    const app = await bench.addTotp(await person.login())
    const visitor = await person.login()
    expect((await visitor.post(PATH, { trust: true })).status).toBe(404)
    expect((await visitor.post('auth/2fa/authenticate', { code: app.nextCode() })).status).toBe(200)
    await bench.world.close()
  })
})
