import { afterEach, describe, expect, it } from 'vitest'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import { everywhere, statusAndErrors, observableResponse, statusAndPendingFlows } from '../../testing/api-cases.ts'
import type { ApiVisitor } from '../../testing/api-visitor.ts'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'

type Account = NonNullable<AuthSettingsInput['account']>

const PASSWORD = 'tangerine-orbit-42'
const PHONE = '+493012345678'
const VERIFY = 'auth/phone/verify'
const RESEND = 'auth/phone/verify/resend'

let world: AuthWorld
let codes: string[]
afterEach(() => world.close())

describe.each(everywhere)('auth/phone/verify, %s', (_name, client, open) => {
  async function opened(account: Account = {}): Promise<void> {
    codes = []
    const all: Account = { signupFields: ['phone*', 'password1*'], loginMethods: ['phone'], ...account }
    const hooks = {
      sendVerificationCodeSms: async (_request: unknown, _user: unknown, _phone: string, code: string) =>
        void codes.push(code),
    }
    world = await authWorld(
      { settings: { headless: { enabled: true }, account: all }, adapters: { account: hooks } },
      open,
    )
  }
  async function signedUp(account: Account = {}): Promise<ApiVisitor> {
    await opened(account)
    const api = world.api(client)
    const answer = await api.post('auth/signup', { phone: PHONE, password: PASSWORD })
    expect(statusAndPendingFlows(answer)).toEqual([401, 'verify_phone'])
    return api
  }

  it('signs in with the right code, once', async () => {
    const api = await signedUp()
    expect((await api.post(VERIFY, { code: codes[0]?.toLowerCase() })).status).toBe(200)
    expect((await api.post(VERIFY, { code: codes[0] })).body).toEqual({ status: 409 })
    const { auth } = world
    expect(await auth.account.phones.ofUser(auth.kernel.database.db, 1)).toEqual({ phone: PHONE, verified: true })
  })

  it.each([
    ['BBBB-BBBB', 'incorrect_code code'],
    ['', 'required code'],
    [7, 'incorrect_code code'],
  ])('counts a wrong code of %j', async (code, error) => {
    const api = await signedUp()
    for (let tries = 0; tries < 3; tries++)
      expect(statusAndErrors(await api.post(VERIFY, { code }))).toEqual([400, error])
    expect((await api.post(VERIFY, { code: codes[0] })).body).toEqual({ status: 409 })
    expect(statusAndPendingFlows(await api.get('auth/session'))).toEqual([401])
  })

  it('counts every one of many parallel guesses', async () => {
    const api = await signedUp()
    const guesses = await Promise.all([1, 2, 3].map(() => api.post(VERIFY, { code: 'BBBB-BBBB' })))
    expect(guesses.map(({ status }) => status)).toEqual([400, 400, 400])
    expect((await api.post(VERIFY, { code: codes[0] })).status).toBe(409)
  })

  it('reports that another user has verified the number in the meantime', async () => {
    const api = await signedUp()
    await world.addUser({ username: 'eve', email: 'eve@example.org' })
    const { auth } = world
    await auth.account.phones.set(auth.kernel.database.db, 1, '+493099999', false)
    await auth.account.phones.set(auth.kernel.database.db, 2, PHONE, true)
    expect(statusAndErrors(await api.post(VERIFY, { code: codes[0] }))).toEqual([400, 'phone_taken code'])
  })

  it('looks the same for a number in use', async () => {
    await opened()
    await world.addUser({ username: 'ada', email: 'ada@example.org' })
    const { auth } = world
    await auth.account.phones.set(auth.kernel.database.db, 1, PHONE, true)
    const tell = async (phone: string): Promise<readonly unknown[]> => {
      const api = world.api(client)
      const answers = [await api.post('auth/signup', { phone, password: PASSWORD })]
      for (let tries = 0; tries < 4; tries++) answers.push(await api.post(VERIFY, { code: 'BBBB-BBBB' }))
      return [...answers, await api.post(RESEND), await api.get('auth/session')].map(observableResponse)
    }
    expect(await tell(PHONE)).toEqual(await tell('+493099999'))
  })

  it('resends a code as often as the settings allow', async () => {
    const api = await signedUp({ phoneVerificationSupportsResend: 1 })
    const early = await api.post(RESEND)
    expect([early.status, early.body, early.headers.get('retry-after')]).toEqual([429, { status: 429 }, '30'])
    world.clock.advance(30_001)
    expect((await api.post(RESEND, '{')).body).toEqual({ status: 200 })
    world.clock.advance(30_001)
    expect((await api.post(RESEND)).body).toEqual({ status: 409 })
    expect(statusAndErrors(await api.post(VERIFY, { code: codes[0] }))).toEqual([400, 'incorrect_code code'])
    expect((await api.post(VERIFY, { code: codes[1] })).status).toBe(200)
  })

  it('is rejected without a pending code, whatever the input', async () => {
    await opened()
    for (const given of [{}, { code: 'x' }]) expect((await world.api(client).post(VERIFY, given)).status).toBe(409)
    expect((await world.api(client).get(VERIFY)).status).toBe(409)
    expect((await world.api(client).post(RESEND)).status).toBe(409)
  })
})
