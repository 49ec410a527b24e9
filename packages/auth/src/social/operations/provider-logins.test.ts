import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPath } from '../../testing/api-bench.ts'
import { everywhere, statusAndErrors, statusAndPendingFlows } from '../../testing/api-cases.ts'
import type { ApiAnswered, ApiVisitor } from '../../testing/api-visitor.ts'
import { GRACE, type SocialWorld, socialWorld } from '../../testing/social-world.ts'

const TOKEN = 'auth/provider/token'
const SIGNUP = 'auth/provider/signup'
const ACCOUNTS = 'account/providers'
const CALLBACK = '/app/back?from=here'

describe.each(everywhere)('providers, %s', (_name, client, open) => {
  let world: SocialWorld
  let isOpen = true
  beforeAll(async () => {
    const rateLimits = { provider_token: null, provider_login: null, signup: null }
    world = await socialWorld(
      {
        settings: { account: { rateLimits }, socialaccount: { emailRequired: true }, headless: { enabled: true } },
        adapters: { account: { isOpenForSignup: () => isOpen } },
      },
      open,
    )
  })
  afterAll(() => world.close())

  const become = (id: string): void =>
    world.emulator.signIn({ ...GRACE, id, username: `p${id}`, email: `p${id}@example.org` })
  const google = (process = 'login'): object => ({
    provider: 'google',
    process,
    token: { client_id: 'client of google', id_token: world.emulator.idToken('google', 'client of google') },
  })
  const dummy = (profile: object, process = 'login'): object => ({
    provider: 'dummy',
    process,
    token: { id_token: JSON.stringify(profile) },
  })
  /** Returns a visitor who is signed in by the test provider. */
  const member = async (id: number): Promise<ApiVisitor> => {
    const visitor = world.api(client)
    const answer = await visitor.post(TOKEN, dummy({ id, username: `m${id}`, email: `m${id}@example.org` }))
    expect(answer.status).toBe(200)
    return visitor
  }

  it('sign in by provider token, once', async () => {
    become('1001')
    const visitor = world.api(client)
    const token = google()
    const done = await visitor.post(TOKEN, token)
    expect([done.status, readPath(done, 'meta.is_authenticated')]).toEqual([200, true])
    expect(readPath(done, 'data.methods.0.method')).toBe('socialaccount')
    expect(statusAndErrors(await world.api(client).post(TOKEN, token))).toEqual([400, 'invalid_token token'])
    expect(readPath(await visitor.get(ACCOUNTS), 'data')).toEqual([
      {
        uid: expect.any(String),
        display: expect.any(String),
        provider: {
          id: 'google',
          name: 'Google',
          flows: ['provider_redirect', 'provider_token'],
          client_id: 'client of google',
        },
      },
    ])
  })

  it('report errors of a token', async () => {
    const id_token = world.emulator.idToken('google', 'client of google', { fault: 'bad_signature' })
    const client_id = 'client of google'
    const table: readonly (readonly [given: object, ...errors: string[]])[] = [
      [{ token: {} }, 'required token'],
      [{ token: { id_token } }, 'client_id_required token'],
      [{ token: { client_id: 7, id_token } }, 'client_id_required token'],
      [{ token: { client_id: 'made-up', id_token } }, 'invalid_token token'],
      [{ token: { client_id } }, 'token_required token'],
      [{ token: { client_id, id_token: ['x'] } }, 'token_required token'],
      [{ token: { client_id, id_token } }, 'invalid_token token'],
      [
        { provider: 'github', token: { client_id: 'client of github', id_token } },
        'token_authentication_not_supported provider',
      ],
      [{ process: 'redirect', token: { client_id } }, 'invalid_choice process', 'token_required token'],
      [{ provider: 'dummy', token: { id_token: '{"id":"x"}' } }, 'invalid_token token'],
    ]
    for (const [given, ...errors] of table) {
      const answer = await world.api(client).post(TOKEN, { provider: 'google', process: 'login', ...given })
      expect([given, ...statusAndErrors(answer)]).toEqual([given, 400, ...errors])
    }
  })

  it('connect accounts by token, and disconnect them', async () => {
    become('2001')
    expect((await world.api(client).post(TOKEN, google('connect'))).status).toBe(401)
    const grace = await member(2001)
    expect((await grace.post(TOKEN, google('connect'))).status).toBe(200)
    const other = await member(2002)
    become('2001')
    // Each token works once.
    world.clock.advance(1000)
    expect(statusAndErrors(await other.post(TOKEN, google('connect')))).toEqual([400, 'connected_other'])
    const accounts = readPath(await grace.get(ACCOUNTS), 'data') as { uid: string; provider: { id: string } }[] // compared with its schema
    expect(accounts.map(({ provider }) => provider.id)).toEqual(['dummy', 'google'])
    const account = { provider: 'google', account: accounts[1]?.uid }
    expect(statusAndErrors(await other.delete(ACCOUNTS, account))).toEqual([400, 'account_not_found'])
    const left = await grace.delete(ACCOUNTS, account)
    expect([left.status, readPath(left, 'data.0.provider.id'), readPath(left, 'data.1')]).toEqual([
      200,
      'dummy',
      undefined,
    ])
    expect(statusAndErrors(await grace.delete(ACCOUNTS, { provider: 'dummy', account: '2001' }))).toEqual([
      400,
      'no_password',
    ])
  })

  it('complete a sign-up', async () => {
    const visitor = world.api(client)
    expect((await visitor.get(SIGNUP)).status).toBe(409)
    const begun = await visitor.post(TOKEN, dummy({ id: 3001, username: 'm3001', first_name: 'Mia' }))
    expect(statusAndPendingFlows(begun)).toEqual([401, 'provider_signup'])
    const shown = await visitor.get(SIGNUP)
    expect(readPath(shown, 'data')).toMatchObject({
      email: [],
      account: { uid: '3001', provider: { id: 'dummy', flows: ['provider_redirect', 'provider_token'] } },
      user: { username: 'm3001', has_usable_password: false },
    })
    expect(readPath(shown, 'data.user.id')).toBeUndefined()
    expect(readPath(shown, 'data.user.display')).toBe('m3001')
    const nameless = world.api(client)
    await nameless.post(TOKEN, dummy({ id: 3002, email: '', first_name: 'Mia' }))
    expect(readPath(await nameless.get(SIGNUP), 'data.user')).toEqual({ has_usable_password: false })
    expect(statusAndErrors(await visitor.post(SIGNUP, {}))).toEqual([400, 'required username', 'required email'])
    expect(statusAndErrors(await visitor.post(SIGNUP, { username: 'm3001', email: 'x' }))).toEqual([
      400,
      'invalid email',
    ])
    const done = await visitor.post(SIGNUP, { email: 'm3001@example.org', username: 'm3001' })
    expect([done.status, readPath(done, 'data.user.email')]).toEqual([200, 'm3001@example.org'])
    expect((await visitor.post(SIGNUP, {})).status).toBe(409)
  })

  it('hide a pending sign-up from another user who signs in meanwhile', async () => {
    const ada = { username: `ada${client}`, email: `ada-${client}@example.org`, password: 'a made-up phrase' }
    await world.addUser(ada)
    const visitor = world.api(client)
    expect((await visitor.post(TOKEN, dummy({ id: 5001, username: 'm5001' }))).status).toBe(401)
    const { username, password } = ada
    expect((await visitor.post('auth/login', { username, password })).status).toBe(200)
    expect((await visitor.get(SIGNUP)).status).toBe(409)
    const fields = { username: 'm5001', email: 'm5001@example.org' }
    expect((await visitor.post(SIGNUP, fields)).status).toBe(409)
    expect(readPath(await visitor.get('auth/session'), 'data.user.username')).toBe(username)
  })

  it('create no users when sign-up is closed', async () => {
    const visitor = world.api(client)
    expect((await visitor.post(TOKEN, dummy({ id: 6001, username: 'm6001' }))).status).toBe(401)
    isOpen = false
    const fields = { username: 'm6001', email: 'm6001@example.org' }
    const told = [await visitor.get(SIGNUP), await visitor.post(SIGNUP, fields)]
    const fresh = await world.api(client).post(TOKEN, dummy({ id: 6002, username: 'm6002' }))
    isOpen = true
    expect([...told, fresh].map(({ status, body }) => [status, body])).toEqual([
      [403, { status: 403 }],
      [403, { status: 403 }],
      [403, { status: 403 }],
    ])
  })

  const leaving = async (
    visitor: ApiVisitor,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ApiAnswered> => {
    if (!visitor.cookies.has('csrftoken')) await visitor.get('config')
    const body = new URLSearchParams({
      callback_url: CALLBACK,
      process: 'login',
      csrfmiddlewaretoken: visitor.cookies.get('csrftoken') ?? '',
      ...fields,
    })
    const type = { 'content-type': 'application/x-www-form-urlencoded', 'x-csrftoken': '' }
    return visitor.send('POST', 'auth/provider/redirect', body.toString(), { ...type, ...headers })
  }
  const readStatusAndLocation = ({ status, headers }: ApiAnswered): readonly [number, string | null] => [
    status,
    headers.get('location'),
  ]

  it.runIf(client === 'browser')('take a browser there and back', async () => {
    become('4001')
    const visitor = world.api('browser')
    const begun = await leaving(visitor, { provider: 'google' })
    expect([begun.status, begun.headers.get('location')]).toEqual([
      302,
      expect.stringMatching(/^https:\/\/accounts\.google\.com\//),
    ])
    const back = await world.agree(begun.headers.get('location'))
    expect(readStatusAndLocation(await visitor.send('GET', back))).toEqual([302, CALLBACK])
    expect((await visitor.get('auth/session')).status).toBe(200)
    world.emulator.fail('google', 'authorize', 'denied')
    const again = await leaving(visitor, { provider: 'google', process: 'connect' })
    const refused = await visitor.send('GET', await world.agree(again.headers.get('location')))
    world.emulator.clearFaults()
    expect(readStatusAndLocation(refused)).toEqual([302, `${CALLBACK}&error=cancelled&error_process=connect`])
  })

  it.runIf(client === 'browser')('report the reason of a failure to the front end', async () => {
    const to = async (visitor: ApiVisitor, process: string): Promise<readonly [number, string | null]> => {
      const begun = await leaving(visitor, { provider: 'google', process })
      return readStatusAndLocation(await visitor.send('GET', await world.agree(begun.headers.get('location'))))
    }
    become('7001')
    isOpen = false
    const closed = await to(world.api('browser'), 'login')
    isOpen = true
    expect(closed).toEqual([302, `${CALLBACK}&error=signup_closed&error_process=login`])
    await to(world.api('browser'), 'login')
    const other = await member(7002)
    expect(await to(other, 'connect')).toEqual([302, `${CALLBACK}&error=connected_other&error_process=connect`])
    expect(readPath(await other.get('auth/session'), 'data.user.username')).toBe('m7002')
  })

  it.runIf(client === 'browser')('report to the front end that a browser is required', async () => {
    const visitor = world.api('browser')
    const connect = await leaving(visitor, { provider: 'google', process: 'connect' })
    expect(readStatusAndLocation(connect)).toEqual([302, `${CALLBACK}&error=permission_denied&error_process=connect`])
    world.emulator.fail('twitter', 'request_token', 'status_500')
    const broken = await leaving(visitor, { provider: 'twitter' })
    world.emulator.clearFaults()
    expect(readStatusAndLocation(broken)).toEqual([302, `${CALLBACK}&error=unknown&error_process=login`])
    for (const fields of [
      { provider: 'made-up' },
      { provider: 'google', process: 'erase' },
      { provider: 'google', callback_url: 'https://evil.example/' },
    ]) {
      const answer = await leaving(visitor, fields)
      expect([fields, answer.status, String(answer.body).includes('Sign-in failed')]).toEqual([fields, 401, true])
    }
    const forged = await leaving(visitor, { provider: 'google', csrfmiddlewaretoken: 'made-up' })
    expect([forged.status, String(forged.body)]).toEqual([403, expect.stringContaining('<!doctype html>')])
    const foreign = await leaving(visitor, { provider: 'google' }, { origin: 'https://evil.example' })
    expect(foreign.status).toBe(403)
  })
})
