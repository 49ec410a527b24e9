import { afterEach, describe, expect, it } from 'vitest'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import { apiBench, type ApiBench, readPath, type Person } from '../../testing/api-bench.ts'
import { everywhere, statusAndErrors } from '../../testing/api-cases.ts'
import type { ApiVisitor } from '../../testing/api-visitor.ts'

type Account = NonNullable<AuthSettingsInput['account']>

const PATH = 'account/password/change'
const NEW = 'quite another made-up phrase'

describe.each(everywhere)('account/password/change, %s', (_name, client, open) => {
  let bench: ApiBench
  let ada: Person
  let api: ApiVisitor
  afterEach(() => bench.world.close())

  async function begin(account: Account = {}): Promise<void> {
    bench = await apiBench(client, open, { account: { emailNotifications: true, ...account } })
    ada = await bench.person()
    api = await ada.login()
  }
  const signsIn = async (password: string): Promise<number> =>
    (await ada.visitor().post('auth/login', { email: ada.email, password })).status
  const change = (given: object = {}) =>
    api.post(PATH, { current_password: ada.credentials.password, new_password: NEW, ...given })

  it('requires sign-in', async () => {
    await begin()
    const answer = await ada.visitor().post(PATH, '{')
    expect(answer.body).toMatchObject({ status: 401, meta: { is_authenticated: false } })
    expect((await api.get(PATH)).status).toBe(405)
  })

  it('changes the password, continues with a new token, and ends other sessions', async () => {
    await begin()
    const other = await ada.login()
    const before = api.sessionToken
    const answer = await change()
    expect(answer.body).toMatchObject({ status: 200, data: { user: { id: ada.user.id, has_usable_password: true } } })
    const token = client === 'app' ? { session_token: api.sessionToken } : {}
    expect(readPath(answer, 'meta')).toEqual({ is_authenticated: true, ...token })
    if (client === 'app') expect(api.sessionToken).not.toBe(before)
    expect((await api.get('auth/session')).status).toBe(200)
    expect((await other.get('auth/session')).status).toBe(client === 'app' ? 410 : 401)
    expect([await signsIn(ada.credentials.password), await signsIn(NEW)]).toEqual([400, 200])
    expect((await bench.world.mailTo(ada.email)).subject).toMatch(/password/i)
  })

  it('keeps the authentication records, so that the next protected request succeeds', async () => {
    await begin()
    const before = readPath(await api.get('auth/session'), 'data.methods')
    expect(readPath(await change(), 'data.methods')).toEqual(before)
    expect(readPath(await api.get('auth/session'), 'data.methods')).toEqual(before)
    expect(before).toHaveLength(1)
    expect(await bench.addTotp(api)).toBeDefined()
  })

  it('signs out if the settings require it', async () => {
    await begin({ logoutOnPasswordChange: true })
    expect((await change()).body).toMatchObject({ status: 401, meta: { is_authenticated: false } })
    expect((await api.get('auth/session')).status).toBe(client === 'app' ? 410 : 401)
    expect(await signsIn(NEW)).toBe(200)
  })

  it('reports all errors', async () => {
    await begin({ rateLimits: { change_password: null } })
    const table: readonly (readonly [given: object, ...errors: string[]])[] = [
      [
        { current_password: undefined, new_password: 'a' },
        'required current_password',
        'password_too_short new_password',
      ],
      [{ current_password: '' }, 'required current_password'],
      [{ current_password: '', new_password: '' }, 'required current_password', 'required new_password'],
      [
        { current_password: 7, new_password: ['a'] },
        'enter_current_password current_password',
        'password_too_short new_password',
      ],
      [{ current_password: 'wrong' }, 'enter_current_password current_password'],
      [{ new_password: 'a' }, 'password_too_short new_password'],
      [
        { current_password: 'wrong', new_password: 'a' },
        'enter_current_password current_password',
        'password_too_short new_password',
      ],
      [{ new_password: 'x'.repeat(4_097) }, 'max_length new_password'],
    ]
    for (const [given, ...errors] of table) {
      expect([given, ...statusAndErrors(await change(given))]).toEqual([given, 400, ...errors])
    }
    expect(await signsIn(ada.credentials.password)).toBe(200)
  })

  it('stores the password without the blanks around it', async () => {
    await begin()
    expect((await change({ new_password: `  ${NEW} ` })).status).toBe(200)
    expect([await signsIn(NEW), await signsIn(`  ${NEW} `)]).toEqual([200, 200])
  })

  it('sets the first password without a current one', async () => {
    await begin()
    const { auth } = bench.world
    await auth.kernel.users.setPassword(auth.kernel.database.db, ada.user.id, auth.kernel.passwords.unusable())
    // A user without a password signs in by code.
    expect((await api.get('auth/session')).status).not.toBe(200)
    await bench.world.close()
    bench = await apiBench(client, open, { account: { loginByCodeEnabled: true } })
    ada = await bench.person()
    const { passwords, users, database } = bench.world.auth.kernel
    await users.setPassword(database.db, ada.user.id, passwords.unusable())
    api = ada.visitor()
    await api.post('auth/code/request', { email: ada.email })
    const code = /[B-Z]{3,}-[B-Z]{3,}|\b\d{6}\b/.exec((await bench.world.mailTo(ada.email)).text)?.[0]
    expect(readPath(await api.post('auth/code/confirm', { code }), 'data.user.has_usable_password')).toBe(false)
    expect(statusAndErrors(await api.post(PATH, { current_password: 'a guess', new_password: 'a' }))).toEqual([
      400,
      'enter_current_password current_password',
      'password_too_short new_password',
    ])
    const answer = await api.post(PATH, { new_password: NEW })
    expect(answer.body).toMatchObject({ status: 200, data: { user: { has_usable_password: true } } })
    expect([(await api.get('auth/session')).status, await signsIn(NEW)]).toEqual([200, 200])
  })

  it('counts per user, including malformed input', async () => {
    await begin({ rateLimits: { change_password: '1/m/user' } })
    expect((await api.post(PATH, '{')).status).toBe(400)
    const refused = await change()
    expect([refused.body, refused.headers.get('retry-after')]).toEqual([{ status: 429 }, '60'])
    expect(await signsIn(ada.credentials.password)).toBe(200)
  })

  it('makes one of two parallel changes', async () => {
    await begin()
    const other = await ada.login()
    const [one, two] = await Promise.all([
      change({ new_password: `${NEW} 1` }),
      other.post(PATH, { current_password: ada.credentials.password, new_password: `${NEW} 2` }),
    ])
    const statuses = [one.status, two.status]
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(await signsIn(`${NEW} ${statuses.indexOf(200) + 1}`)).toBe(200)
  })
})
