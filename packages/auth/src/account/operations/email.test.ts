import { afterEach, describe, expect, it } from 'vitest'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import { apiBench, type ApiBench, readPath, type Person } from '../../testing/api-bench.ts'
import { everywhere, statusAndErrors, observableResponse, statusAndPendingFlows } from '../../testing/api-cases.ts'
import type { ApiVisitor } from '../../testing/api-visitor.ts'

type Account = NonNullable<AuthSettingsInput['account']>

const PATH = 'account/email'
const MINUTE = 60_000
const NEW = 'new@example.org'
/** Sign-up with an address that's verified by code and can be changed until then. */
const BY_CODE: Account = {
  emailVerification: 'mandatory',
  emailVerificationByCodeEnabled: true,
  signupFields: ['email*', 'password1*'],
  emailVerificationSupportsChange: true,
}
const findEmailCode = (text: string): string => /[B-Z]{4}-[B-Z]{4}/.exec(text)?.[0] ?? ''

describe.each(everywhere)('account/email, %s', (_name, client, open) => {
  let bench: ApiBench
  let ada: Person
  let api: ApiVisitor
  afterEach(() => bench.world.close())

  async function begin(account: Account = {}, settings: AuthSettingsInput = {}): Promise<void> {
    bench = await apiBench(client, open, { account, ...settings })
    ada = await bench.person()
    api = await ada.login()
  }
  const add = (email: string, options: { verified?: boolean; primary?: boolean } = {}) => {
    const { emails } = bench.world.auth.account
    const { database } = bench.world.auth.kernel
    return emails.insert(database.db, { userId: ada.user.id, email, verified: false, primary: false, ...options })
  }
  const row = (email: string, verified: boolean, primary: boolean) => ({ email, verified, primary })
  const first = () => row(ada.email, true, true)
  const sent = async (to: string): Promise<number> =>
    (await bench.world.mails()).filter((mail) => mail.to === to).length

  it.each(['GET', 'PUT', 'PATCH', 'DELETE'])('requires sign-in: %s', async (method) => {
    await begin()
    const answer = await ada.visitor().send(method, PATH, method === 'GET' ? undefined : '{')
    expect(answer.body).toMatchObject({ status: 401, meta: { is_authenticated: false } })
    expect(readPath(answer, 'data.flows')).toContainEqual({ id: 'login' })
  })

  it("doesn't exist if only providers sign in", async () => {
    await begin()
    await bench.world.close()
    const settings = { socialaccount: { enabled: true, only: true }, mfa: { enabled: false } }
    bench = await apiBench(client, open, { ...settings, account: { emailVerification: 'none' } })
    expect((await bench.world.api(client).get(PATH)).status).toBe(404)
  })

  it('lists addresses, the primary one first', async () => {
    await begin()
    await add('second@example.org', { verified: true })
    const answer = await api.get(PATH)
    expect(answer.body).toEqual({ status: 200, data: [first(), row('second@example.org', true, false)] })
  })

  it('adds an address, mails a link, and reports errors', async () => {
    await begin({ maxEmailAddresses: 2, preventEnumeration: false })
    const other = await bench.person()
    const table: readonly (readonly [given: unknown, ...errors: string[]])[] = [
      [{}, 'required email'],
      [{ email: '' }, 'required email'],
      [{ email: 'x' }, 'invalid email'],
      [{ email: [NEW] }, 'invalid email'],
      [{ email: `${'a'.repeat(310)}@example.org` }, 'max_length email'],
      [{ email: `${'a'.repeat(60)}@${`${'b'.repeat(60)}.`.repeat(4)}org` }, 'max_length email'],
      [{ email: ada.email.toUpperCase() }, 'duplicate_email email'],
      [{ email: other.email }, 'email_taken email'],
    ]
    for (const [given, ...errors] of table) {
      expect([given, ...statusAndErrors(await api.post(PATH, given))]).toEqual([given, 400, ...errors])
      bench.world.clock.advance(MINUTE)
    }
    expect((await api.post(PATH, { email: ` ${NEW.toUpperCase()} ` })).body).toEqual({
      status: 200,
      data: [first(), row(NEW, false, false)],
    })
    expect(await sent(NEW)).toBe(1)
    expect(statusAndErrors(await api.post(PATH, { email: 'third@example.org' }))).toEqual([
      400,
      'max_email_addresses email',
    ])
  })

  it("doesn't add one while two-factor authentication is on", async () => {
    await begin()
    await bench.addTotp(api)
    expect(statusAndErrors(await api.post(PATH, { email: ada.email }))).toEqual([400, 'duplicate_email email'])
    expect(statusAndErrors(await api.post(PATH, { email: NEW }))).toEqual([400, 'add_email_blocked email'])
    expect(await sent(NEW)).toBe(0)
  })

  it("responds the same for another user's address", async () => {
    await begin()
    const other = await bench.person()
    const taken = await api.post(PATH, { email: other.email })
    expect(taken.body).toMatchObject({ status: 200, data: [first(), row(other.email, false, false)] })
  })

  it("resends the verification mail, or reports that it didn't", async () => {
    await begin()
    await add(NEW)
    const table: readonly (readonly [email: unknown, status: number, ...errors: string[]])[] = [
      [undefined, 400, 'required email'],
      ['x', 400, 'invalid email'],
      ['unknown@example.org', 400, 'unknown_email email'],
      [NEW.toUpperCase(), 200],
      [NEW, 403],
      [ada.email, 403],
    ]
    for (const [email, ...expected] of table) {
      expect([email, ...statusAndErrors(await api.put(PATH, { email }))]).toEqual([email, ...expected])
    }
    expect([await sent(NEW), await sent(ada.email)]).toEqual([1, 0])
    bench.world.clock.advance(3 * MINUTE)
    expect((await api.put(PATH, { email: NEW })).body).toEqual({ status: 200 })
    expect(await sent(NEW)).toBe(2)
  })

  it('makes another address primary', async () => {
    await begin()
    await add('second@example.org', { verified: true })
    await add(NEW)
    const table: readonly (readonly [given: unknown, ...errors: string[]])[] = [
      [{}, 'required email', 'required primary'],
      [{ email: NEW, primary: 'yes' }, 'unverified_primary_email email'],
      [{ email: 'unknown@example.org', primary: false }, 'unknown_email email', 'required primary'],
      [{ email: 'second@example.org', primary: false }, 'required primary'],
      [{ email: 'unknown@example.org', primary: true }, 'unknown_email email'],
      [{ email: NEW, primary: true }, 'unverified_primary_email email'],
    ]
    for (const [given, ...errors] of table) {
      expect([given, ...statusAndErrors(await api.patch(PATH, given))]).toEqual([given, 400, ...errors])
    }
    expect((await api.patch(PATH, { email: 'second@example.org', primary: true })).body).toEqual({
      status: 200,
      data: [row('second@example.org', true, true), row(ada.email, true, false), row(NEW, false, false)],
    })
    expect(readPath(await api.get('auth/session'), 'data.user.email')).toBe('second@example.org')
  })

  it('removes any address but the primary one', async () => {
    await begin()
    await add(NEW)
    const table: readonly (readonly [given: unknown, ...errors: string[]])[] = [
      [{}, 'required email'],
      [{ email: 'unknown@example.org' }, 'unknown_email email'],
      [{ email: ada.email }, 'cannot_remove_primary_email email'],
    ]
    for (const [given, ...errors] of table) {
      expect([given, ...statusAndErrors(await api.delete(PATH, given))]).toEqual([given, 400, ...errors])
    }
    expect((await api.delete(PATH, { email: NEW })).body).toEqual({ status: 200, data: [first()] })
    expect(statusAndErrors(await api.delete(PATH, { email: NEW }))).toEqual([400, 'unknown_email email'])
  })

  it("finds only the user's own addresses", async () => {
    await begin()
    const { email } = await bench.person()
    for (const answer of [
      await api.put(PATH, { email }),
      await api.patch(PATH, { email, primary: true }),
      await api.delete(PATH, { email }),
    ]) {
      expect(statusAndErrors(answer)).toEqual([400, 'unknown_email email'])
    }
  })

  it('requires reauthentication if configured, after validating the input', async () => {
    await begin({ reauthenticationRequired: true })
    await add(NEW)
    await add('second@example.org', { verified: true })
    bench.expireReauthentication()
    const changes = [
      ['post', { email: ada.email }, 400, 'duplicate_email email'],
      ['post', { email: 'third@example.org' }, 401],
      ['patch', { email: NEW, primary: true }, 400, 'unverified_primary_email email'],
      ['patch', { email: 'second@example.org', primary: true }, 401],
      ['delete', { email: ada.email }, 400, 'cannot_remove_primary_email email'],
      ['delete', { email: NEW }, 401],
      ['put', { email: NEW }, 200],
    ] as const
    for (const [method, given, ...expected] of changes) {
      const answer = await api[method](PATH, given)
      expect([method, ...statusAndErrors(answer)]).toEqual([method, ...expected])
      if (answer.status === 401) {
        expect(answer.body).toMatchObject({
          data: { flows: [{ id: 'reauthenticate' }] },
          meta: { is_authenticated: true },
        })
      }
    }
    expect(readPath(await api.get(PATH), 'data')).toHaveLength(3)
  })

  it('counts changes per user, including malformed ones, but no GET', async () => {
    await begin({ rateLimits: { manage_email: '2/m/user,5/m/ip' } })
    expect((await api.post(PATH, '{')).status).toBe(400)
    expect((await api.send('OPTIONS', PATH)).status).toBe(405)
    const refused = await api.put(PATH, { email: ada.email })
    expect([refused.body, refused.headers.get('retry-after')]).toEqual([{ status: 429 }, '60'])
    expect((await api.get(PATH)).status).toBe(200)
    expect((await (await (await bench.person()).login()).delete(PATH, {})).status).toBe(400)
  })

  describe('with codes', () => {
    const code = async (to: string): Promise<string> => findEmailCode((await bench.world.mailTo(to)).text)

    it('lists the pending address, resends its code within the quota, and removes it', async () => {
      await begin({ ...BY_CODE, emailVerificationSupportsResend: 1 })
      const waits = [first(), row(NEW, false, false)]
      expect((await api.post(PATH, { email: NEW })).body).toEqual({ status: 200, data: waits })
      expect(readPath(await api.get(PATH), 'data')).toEqual(waits)
      expect(statusAndErrors(await api.patch(PATH, { email: NEW, primary: true }))).toEqual([
        400,
        'unverified_primary_email email',
      ])
      expect((await api.put(PATH, { email: NEW })).status).toBe(403)
      bench.world.clock.advance(10_000)
      const before = await code(NEW)
      expect((await api.put(PATH, { email: NEW })).status).toBe(200)
      expect(await code(NEW)).not.toBe(before)
      bench.world.clock.advance(10_000)
      expect((await api.put(PATH, { email: NEW })).status).toBe(403)
      expect((await api.delete(PATH, { email: NEW })).body).toEqual({ status: 200, data: [first()] })
      expect((await api.post('auth/email/verify', { key: await code(NEW) })).status).toBe(409)
    })

    it('stores the address once the code is entered', async () => {
      await begin(BY_CODE)
      await api.post(PATH, { email: NEW })
      expect((await api.post('auth/email/verify', { key: await code(NEW) })).status).toBe(200)
      expect(readPath(await api.get(PATH), 'data')).toEqual([first(), row(NEW, true, false)])
    })

    it('is rejected over the limit of emails', async () => {
      await begin(BY_CODE)
      expect((await api.post(PATH, { email: NEW })).status).toBe(200)
      const refused = await api.post(PATH, { email: NEW })
      expect([refused.body, refused.headers.get('retry-after')]).toEqual([{ status: 429 }, '10'])
    })
  })

  describe('of a pending sign-up', () => {
    const signup = async (email: string): Promise<ApiVisitor> => {
      const visitor = ada.visitor()
      const answer = await visitor.post('auth/signup', { email, password: 'another made-up phrase' })
      expect(statusAndPendingFlows(answer)).toEqual([401, 'verify_email'])
      return visitor
    }

    it('changes the address, and sends the code there', async () => {
      await begin(BY_CODE)
      const visitor = await signup('frist@example.org')
      expect(statusAndErrors(await visitor.post(PATH, { email: '' }))).toEqual([400, 'required email'])
      expect(statusAndErrors(await visitor.post(PATH, { email: 'FRIST@example.org' }))).toEqual([
        400,
        'same_as_current email',
      ])
      const answer = await visitor.post(PATH, { email: 'First@example.org' })
      expect(answer.body).toMatchObject({ status: 200, data: [row('first@example.org', false, false)] })
      const key = findEmailCode((await bench.world.mailTo('first@example.org')).text)
      expect((await visitor.post('auth/email/verify', { key })).status).toBe(200)
      expect(readPath(await visitor.get(PATH), 'data')).toEqual([row('first@example.org', true, true)])
    })

    it("is rejected if nothing is pending, the quota is used up, or there's none", async () => {
      await begin({ ...BY_CODE, emailVerificationSupportsChange: 1 })
      expect((await ada.visitor().post(PATH, '{')).body).toEqual({ status: 409 })
      const visitor = await signup('frist@example.org')
      expect((await visitor.post(PATH, { email: 'second@example.org' })).status).toBe(200)
      expect((await visitor.post(PATH, { email: 'third@example.org' })).body).toEqual({ status: 409 })
      await bench.world.close()
      await begin({ ...BY_CODE, emailVerificationSupportsChange: false })
      const other = await signup('frist@example.org')
      expect((await other.post(PATH, { email: 'second@example.org' })).body).toEqual({ status: 409 })
    })

    it("doesn't reveal which addresses have an account", async () => {
      await begin({ ...BY_CODE, emailVerificationSupportsChange: 5, rateLimits: { manage_email: '3/m/user' } })
      const other = await bench.person()
      const steps = async (from: string, to: string): Promise<readonly unknown[]> => {
        const visitor = await signup(from)
        const answers: unknown[] = []
        for (const email of ['x', to, 'wanted@example.org', 'once-more@example.org']) {
          const answer = observableResponse(await visitor.post(PATH, { email }))
          answers.push(JSON.parse(JSON.stringify(answer).replaceAll(to, 'to@example.org')))
          bench.world.clock.advance(10_000)
        }
        bench.world.clock.advance(MINUTE)
        return answers
      }
      const honest = await steps('free@example.org', 'also-free@example.org')
      expect(honest).toMatchObject([{ status: 400 }, { status: 200 }, { status: 200 }, { status: 429 }])
      // An address of an existing account, and one taken by another user.
      expect(await steps(ada.email, 'free-as-well@example.org')).toEqual(honest)
      expect(await steps('free-2@example.org', other.email)).toEqual(honest)
    })
  })
})
