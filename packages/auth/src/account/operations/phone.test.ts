import { afterEach, describe, expect, it } from 'vitest'
import type { AccountAdapter } from '../adapter.ts'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import { apiBench, type ApiBench, readPath, type Person } from '../../testing/api-bench.ts'
import { everywhere, statusAndErrors, observableResponse, statusAndPendingFlows } from '../../testing/api-cases.ts'
import type { ApiVisitor } from '../../testing/api-visitor.ts'

type Account = NonNullable<AuthSettingsInput['account']>

const PATH = 'account/phone'
const MINUTE = 60_000
const HERS = '+31612345678'
const NEW = '+31687654321'

describe.each(everywhere)('account/phone, %s', (_name, client, open) => {
  let bench: ApiBench
  let ada: Person
  let api: ApiVisitor
  let texts: { readonly phone: string; readonly code: string | null }[]
  afterEach(() => bench.world.close())

  /** Opens a world with one account, which has a verified number. */
  async function begin(given: Account = {}, hooks: Partial<AccountAdapter> = {}): Promise<void> {
    texts = []
    const account: Account = { signupFields: ['phone*', 'password1*'], loginMethods: ['email', 'phone'], ...given }
    const adapter: Partial<AccountAdapter> = {
      sendVerificationCodeSms: async (_request, _user, phone, code) => void texts.push({ phone, code }),
      sendAccountAlreadyExistsSms: async (_request, phone) => void texts.push({ phone, code: null }),
      ...hooks,
    }
    bench = await apiBench(
      client,
      open,
      { account: { emailVerification: 'none', ...account } },
      {
        adapters: { account: adapter },
      },
    )
    ada = await person(HERS)
    api = await ada.login()
  }
  async function person(phone: string): Promise<Person> {
    const added = await bench.person()
    const { database } = bench.world.auth.kernel
    const { phones } = bench.world.auth.account
    await phones.set(database.db, added.user.id, phone, true)
    return added
  }
  const pending = (phone: string) => ({ status: 202, data: [{ phone, verified: false }] })

  it('requires sign-in, and has no pending code', async () => {
    await begin()
    const nobody = ada.visitor()
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await nobody.send(method, PATH, method === 'GET' ? undefined : '{')
      expect(answer.body).toMatchObject({ status: 401, meta: { is_authenticated: false } })
    }
    expect((await nobody.post(PATH, '{')).body).toEqual({ status: 409 })
  })

  it('shows the number, or none', async () => {
    await begin({ signupFields: ['email*', 'phone', 'password1*'] })
    expect((await api.get(PATH)).body).toEqual({ status: 200, data: [{ phone: HERS, verified: true }] })
    const other = await (await bench.person()).login()
    expect((await other.get(PATH)).body).toEqual({ status: 200, data: [] })
  })

  it('changes the number once its code is entered', async () => {
    await begin()
    expect((await api.post(PATH, { phone: ' +31 6-8765 4321' })).body).toEqual(pending(NEW))
    expect(readPath(await api.get(PATH), 'data')).toEqual([{ phone: HERS, verified: true }])
    expect(texts.map(({ phone }) => phone)).toEqual([NEW])
    expect((await api.post('auth/phone/verify', { code: texts[0]?.code })).status).toBe(200)
    expect((await api.post('auth/phone/verify', { code: texts[0]?.code })).status).toBe(409)
    expect(readPath(await api.get(PATH), 'data')).toEqual([{ phone: NEW, verified: true }])
  })

  it('reports errors', async () => {
    await begin({ preventEnumeration: false })
    await person(NEW)
    const table: readonly (readonly [given: unknown, ...errors: string[]])[] = [
      [{}, 'required phone'],
      [{ phone: ' ' }, 'required phone'],
      [{ phone: 31612345678 }, 'invalid_phone phone'],
      [{ phone: '0612345678' }, 'invalid_phone phone'],
      [{ phone: `+${'1'.repeat(100)}` }, 'max_length phone'],
      [{ phone: HERS }, 'same_as_current phone'],
      [{ phone: NEW }, 'phone_taken phone'],
    ]
    for (const [given, ...errors] of table) {
      expect([given, ...statusAndErrors(await api.post(PATH, given))]).toEqual([given, 400, ...errors])
      bench.world.clock.advance(MINUTE)
    }
    expect(texts).toEqual([])
  })

  it('hides that another user has a number, whatever code is entered', async () => {
    await begin()
    const other = await person(NEW)
    expect((await api.post(PATH, { phone: NEW })).body).toEqual(pending(NEW))
    expect(texts).toEqual([{ phone: NEW, code: null }])
    expect(statusAndErrors(await api.post('auth/phone/verify', { code: '' }))).toEqual([400, 'required code'])
    expect(readPath(await (await other.login()).get(PATH), 'data')).toEqual([{ phone: NEW, verified: true }])
  })

  it('is limited to one request a minute, whatever the input', async () => {
    await begin()
    expect((await api.post(PATH, '{')).status).toBe(400)
    const refused = await api.post(PATH, { phone: NEW })
    expect([refused.body, refused.headers.get('retry-after')]).toEqual([{ status: 429 }, '60'])
    expect((await api.get(PATH)).status).toBe(200)
  })

  it('requires reauthentication if configured, after validating the input', async () => {
    await begin({ reauthenticationRequired: true })
    bench.expireReauthentication()
    expect(statusAndErrors(await api.post(PATH, { phone: HERS }))).toEqual([400, 'same_as_current phone'])
    bench.world.clock.advance(MINUTE)
    const answer = await api.post(PATH, { phone: NEW })
    expect(answer.body).toMatchObject({ status: 401, data: { flows: [{ id: 'reauthenticate' }] } })
    expect(texts).toEqual([])
  })

  it("lists, but doesn't change, the number on a site that can't send messages", async () => {
    await begin()
    await bench.world.close()
    bench = await apiBench(client, open)
    const visitor = await (await bench.person()).login()
    expect((await visitor.get(PATH)).body).toEqual({ status: 200, data: [] })
    expect((await visitor.post(PATH, { phone: NEW })).body).toEqual({ status: 403 })
  })

  describe('of a pending sign-up', () => {
    const SIGNUP: Account = { phoneVerificationSupportsChange: 3 }
    const signup = async (phone: string): Promise<ApiVisitor> => {
      const visitor = ada.visitor()
      expect(
        statusAndPendingFlows(await visitor.post('auth/signup', { phone, password: 'another made-up phrase' })),
      ).toEqual([401, 'verify_phone'])
      return visitor
    }

    it('changes the number, and sends the code there', async () => {
      await begin(SIGNUP)
      const visitor = await signup('+31600000001')
      expect(statusAndErrors(await visitor.post(PATH, { phone: '+31600000001' }))).toEqual([
        400,
        'same_as_current phone',
      ])
      bench.world.clock.advance(MINUTE)
      expect((await visitor.post(PATH, { phone: NEW })).body).toMatchObject(pending(NEW))
      expect(texts.map(({ phone }) => phone)).toEqual(['+31600000001', NEW])
      expect((await visitor.post('auth/phone/verify', { code: texts[1]?.code })).status).toBe(200)
      expect(readPath(await visitor.get(PATH), 'data')).toEqual([{ phone: NEW, verified: true }])
    })

    it('is rejected without the setting, and once the quota is used up', async () => {
      await begin({ phoneVerificationSupportsChange: 1 })
      const visitor = await signup('+31600000001')
      expect((await visitor.post(PATH, { phone: NEW })).status).toBe(202)
      bench.world.clock.advance(MINUTE)
      expect((await visitor.post(PATH, '{')).body).toEqual({ status: 409 })
      await bench.world.close()
      await begin({ phoneVerificationSupportsChange: false })
      expect((await (await signup('+31600000001')).post(PATH, { phone: NEW })).body).toEqual({ status: 409 })
    })

    it("doesn't reveal which numbers have an account", async () => {
      await begin(SIGNUP)
      await person('+31600000009')
      const steps = async (from: string, to: string): Promise<readonly unknown[]> => {
        const visitor = await signup(from)
        const answers: unknown[] = []
        for (const [phone, waitMs] of [
          ['x', MINUTE],
          [to, 0],
          ['+31600000007', MINUTE],
          ['+31600000008', MINUTE],
        ] as const) {
          const answer = observableResponse(await visitor.post(PATH, { phone }))
          answers.push(JSON.parse(JSON.stringify(answer).replaceAll(to, NEW)))
          bench.world.clock.advance(waitMs)
        }
        return answers
      }
      const honest = await steps('+31600000001', '+31600000002')
      expect(honest).toMatchObject([{ status: 400 }, { status: 202 }, { status: 429 }, { status: 202 }])
      // The number of an existing account, and one taken by another user.
      expect(await steps(HERS, '+31600000003')).toEqual(honest)
      expect(await steps('+31600000004', '+31600000009')).toEqual(honest)
    })
  })
})
