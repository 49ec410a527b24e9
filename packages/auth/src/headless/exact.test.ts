import { afterEach, describe, expect, it } from 'vitest'
import type { AuthSettingsInput } from '../kernel/settings/settings.ts'
import { everywhere, statusAndErrors } from '../testing/api-cases.ts'
import { apiBench, type ApiBench, readPath, readPublicKeyOptions } from '../testing/api-bench.ts'

/** The responses to input that isn't as described, each as an existing client of the protocol expects it. */

const SIGNUP: AuthSettingsInput = {
  passwordValidators: [{ id: 'minimum_length', minLength: 8 }, { id: 'common_password' }],
  account: { loginMethods: ['email'], signupFields: ['email*', 'username*', 'password1*'], emailVerification: 'none' },
}

let bench: ApiBench
afterEach(() => bench.world.close())

describe.each(everywhere)('%s', (_name, client, open) => {
  it('reports the errors of all fields of a sign-up at once, in their order', async () => {
    bench = await apiBench(client, open, SIGNUP)
    const api = bench.world.api(client)
    const table: readonly (readonly [given: object, ...errors: string[]])[] = [
      [
        { email: 'x', password: 'abc123' },
        'invalid email',
        'required username',
        'password_too_short password',
        'password_too_common password',
      ],
      [
        { email: 'a@example.org', username: 'ada', password: 'abc123' },
        'password_too_short password',
        'password_too_common password',
      ],
      [{ email: 'a@example.org', username: 'ada', password: ' \t ' }, 'required password'],
    ]
    for (const [given, ...errors] of table) {
      expect([given, ...statusAndErrors(await api.post('auth/signup', given))]).toEqual([given, 400, ...errors])
    }
  })

  it('reports all errors of a password change at once', async () => {
    bench = await apiBench(client, open, SIGNUP)
    const api = await (await bench.person()).login()
    expect(statusAndErrors(await api.post('account/password/change', { new_password: 'abc123' }))).toEqual([
      400,
      'required current_password',
      'password_too_short new_password',
      'password_too_common new_password',
    ])
  })

  it('lists the required fields for a body of null', async () => {
    bench = await apiBench(client, open)
    const api = bench.world.api(client)
    expect(statusAndErrors(await api.post('auth/login', 'null'))).toEqual([400, 'required email', 'required password'])
  })

  it('reads a value of another type as text', async () => {
    bench = await apiBench(client, open, { account: { loginMethods: ['username'] } })
    await bench.world.addUser({ username: '7', password: "{'a': [1, True, None, 'b']}" })
    const api = bench.world.api(client)
    const table: readonly (readonly [given: object, ...errors: string[]])[] = [
      [{ username: null, password: [] }, 'required username', 'required password'],
      [{ username: {}, password: false }, 'required username'],
      [{ username: 7, password: 12 }, 'username_password_mismatch password'],
    ]
    for (const [given, ...errors] of table) {
      expect([given, ...statusAndErrors(await api.post('auth/login', given))]).toEqual([given, 400, ...errors])
    }
    const nested = JSON.parse(`${'['.repeat(900)}${']'.repeat(900)}`) as unknown // JSON
    expect(statusAndErrors(await api.post('auth/login', { username: nested, password: 'x' }))).toEqual([
      400,
      'invalid username',
    ])
    expect((await api.post('auth/login', { username: 7, password: { a: [1, true, null, 'b'] } })).status).toBe(200)
  })

  it('reads true and false, IDs, and credentials of other types', async () => {
    bench = await apiBench(client, open)
    const ada = await bench.person()
    const api = await ada.login()
    const { id } = await bench.addKey(api)
    const keys = 'account/authenticators/webauthn'
    for (const primary of [false, 0, 'False', '0', '', null, []]) {
      expect(statusAndErrors(await api.patch('account/email', { email: 'no@example.org', primary }))).toEqual([
        400,
        'unknown_email email',
        'required primary',
      ])
    }
    expect((await api.patch('account/email', { email: ada.email, primary: 'yes' })).status).toBe(200)
    expect(statusAndErrors(await api.put(keys, { id: 'x', name: 'Key' }))).toEqual([400, 'invalid_choice id'])
    expect(readPath(await api.put(keys, { id: String(id), name: 'New' }), 'data.name')).toBe('New')
    const deletions: readonly (readonly [unknown, string])[] = [
      [{}, 'required'],
      [0, 'required'],
      ['x', 'invalid_list'],
      [['x'], 'invalid_pk_value'],
      [[id + 1], 'invalid_choice'],
    ]
    for (const [authenticators, code] of deletions) {
      expect(statusAndErrors(await api.delete(keys, { authenticators }))).toEqual([400, `${code} authenticators`])
    }
    const reauthentication = 'auth/webauthn/reauthenticate'
    await api.get(reauthentication)
    const credentials: readonly (readonly [unknown, string])[] = [
      ['{', 'invalid'],
      ['{"id":1}', 'incorrect_code'],
      [7, 'incorrect_code'],
      [['x'], 'incorrect_code'],
      [{}, 'required'],
    ]
    for (const [credential, code] of credentials) {
      expect(statusAndErrors(await api.post(reauthentication, { credential }))).toEqual([400, `${code} credential`])
    }
    expect((await api.delete(keys, { authenticators: [String(id)] })).status).toBe(200)
  })

  it('names keys by type and ID alone, and prefers user verification', async () => {
    bench = await apiBench(client, open, { mfa: { passkeyLoginEnabled: true } })
    const api = await (await bench.person()).login()
    const { key } = await bench.addKey(api, { passwordless: true })
    const known = [{ type: 'public-key', id: key.ids()[0] }]
    const created = await api.get('account/authenticators/webauthn')
    expect(readPath(created, 'data.creation_options.publicKey.excludeCredentials')).toEqual(known)
    const asked = await api.get('auth/webauthn/reauthenticate')
    expect(readPath(asked, 'data.request_options.publicKey.allowCredentials')).toEqual(known)
    const login = bench.world.api(client)
    const options = readPublicKeyOptions(await login.get('auth/webauthn/login'))
    expect(options).toMatchObject({ allowCredentials: [], userVerification: 'preferred' })
    const credential = key.get(options, { userVerified: false })
    expect(statusAndErrors(await login.post('auth/webauthn/login', { credential }))).toEqual([
      400,
      'incorrect_code credential',
    ])
  })

  it("chooses among a host's texts of an error, with its values, in the visitor's language", async () => {
    const short = 'At least {min_length, plural, one {# character} other {# characters}}, please.'
    bench = await apiBench(
      client,
      open,
      {
        ...SIGNUP,
        passwordValidators: [
          { id: 'minimum_length', minLength: 8 },
          { id: 'user_attribute_similarity', attributes: ['username'], maxSimilarity: 0.7 },
        ],
      },
      {
        adapters: {
          account: {
            errorMessages: {
              password_too_short: short,
              password_too_similar: ({ values }) => `Not your ${values?.['attribute']}!`,
              required: ({ param }) => (param === 'email' ? 'Where can we reach you?' : 'Missing.'),
            },
          },
        },
        translations: {
          de: {
            [short]: 'Bitte mindestens {min_length, plural, one {# Zeichen} other {# Zeichen}}.',
            'Not your username!': 'Nicht der Benutzername!',
            'Where can we reach you?': 'Wie erreichen wir dich?',
          },
        },
      },
    )
    const told = async (language: string, given: object): Promise<unknown> => {
      const { body } = await bench.world.api(client, { language }).post('auth/signup', given)
      return (body as { errors: { message: string }[] }).errors.map(({ message }) => message) // a 400
    }
    const given = { username: 'ada', password: 'ada' }
    expect(await told('en', given)).toEqual([
      'Where can we reach you?',
      'At least 8 characters, please.',
      'Not your username!',
    ])
    expect(await told('de', given)).toEqual([
      'Wie erreichen wir dich?',
      'Bitte mindestens 8 Zeichen.',
      'Nicht der Benutzername!',
    ])
  })

  it('rejects unsupported methods before reading the input', async () => {
    bench = await apiBench(client, open, { usersessions: { enabled: true } })
    const api = await (await bench.person()).login()
    for (const path of ['auth/session', 'auth/sessions', 'config', 'account/authenticators']) {
      expect([path, (await api.post(path, {})).status]).toEqual([path, 405])
    }
    expect((await api.put('auth/sessions', { sessions: 'x' })).status).toBe(405)
  })

  it('checks who deletes before what', async () => {
    bench = await apiBench(client, open, { usersessions: { enabled: true } })
    const api = bench.world.api(client)
    const paths = ['auth/session', 'auth/sessions', 'account/email', 'account/authenticators/webauthn']
    for (const path of [...paths, 'account/authenticators/totp']) {
      for (const body of ['{', {}, { email: 7, sessions: 'x', authenticators: 'x' }]) {
        expect([path, body, (await api.delete(path, body)).status]).toEqual([path, body, 401])
      }
    }
  })

  it('takes no JSON for a redirect to a provider', async () => {
    if (client === 'app') return
    bench = await apiBench(client, open, {
      socialaccount: { enabled: true, providers: { github: { APP: { client_id: 'sample', secret: 'sample' } } } },
    })
    const api = bench.world.api(client)
    const given = { provider: 'github', process: 'login', callback_url: '/' }
    expect((await api.post('auth/provider/redirect', given)).status).toBe(401)
    const form = new URLSearchParams(given).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await api.post('auth/provider/redirect', form, headers)).status).toBe(302)
  })

  it("refuses a deactivated user's session with 401, and resumes it later", async () => {
    bench = await apiBench(client, open)
    const ada = await bench.person()
    const api = await ada.login()
    const { users, database } = bench.world.auth.kernel
    await users.update(database.db, ada.user.id, { isActive: false })
    const refused = await api.get('auth/session')
    expect([refused.status, readPath(refused, 'meta')]).toEqual([401, { is_authenticated: false }])
    await users.update(database.db, ada.user.id, { isActive: true })
    expect((await api.get('auth/session')).status).toBe(200)
  })
})
