import { afterAll, beforeAll, expect, it } from 'vitest'
import { InvalidInput } from '../errors.ts'
import { type AuthWorld, authWorld } from './auth-world.ts'
import { checkAnswer } from './checked-answer.ts'

let world: AuthWorld
beforeAll(async () => {
  world = await authWorld({ settings: { headless: { enabled: true } } })
})
afterAll(() => world.close())

const user = { id: 1, display: 'ada', has_usable_password: true }
const signedIn = { status: 200, data: { user, methods: [] }, meta: { is_authenticated: true } }
const flows = { status: 401, data: { flows: [{ id: 'login' }] }, meta: { is_authenticated: false } }
const session = { client: 'app', method: 'GET', path: 'auth/session' } as const
const login = { client: 'app', method: 'POST', path: 'auth/login' } as const
const refused = (...codes: readonly string[]) => ({
  status: 400,
  body: { status: 400, errors: codes.map((code) => ({ code, message: 'No.' })) },
})

it.each([
  ['what is described', { ...session, status: 200, body: signedIn }],
  ['a session that is over', { ...session, status: 410, body: { ...flows, status: 410 } }],
  ['a path of the contract', { ...session, path: '/headless/users/me/', status: 200, body: signedIn }],
  ['a whole path, with a query', { ...session, path: '/_allauth/app/v1/auth/session?x=1', status: 401, body: flows }],
  ['codes of the operation and its fields', { ...login, ...refused('username_password_mismatch', 'max_length') }],
  ['a body that is no JSON', { ...login, ...refused('invalid') }],
  ['a conflict of sessions', { ...session, status: 409, body: { status: 409 } }],
  ['a path that is not there', { ...session, path: 'auth/nothing', status: 404, body: { what: 'ever' } }],
  ['a page', { ...session, status: 403, body: '<!doctype html>' }],
])('takes %s', async (_what, answer) => {
  await expect(checkAnswer(world.auth, answer)).resolves.toBeUndefined()
})

it.each([
  ['a status that is not described', { ...session, status: 404, body: { status: 404 } }],
  ['a code of another operation', { ...login, ...refused('username_password_mismatch', 'incorrect_code') }],
  ['a code that nothing has', { ...login, ...refused('foreign_domain') }],
  ['a code of the input for a method without input', { ...session, method: 'DELETE', ...refused('required') }],
  ['another status in the body', { ...session, status: 401, body: { ...flows, status: 410 } }],
  ['a member more', { ...session, status: 200, body: { ...signedIn, debug: true } }],
  [
    'a member of a user more',
    { ...session, status: 200, body: { ...signedIn, data: { user: { ...user, password: 'x' }, methods: [] } } },
  ],
  ['an unknown flow', { ...session, status: 401, body: { ...flows, data: { flows: [{ id: 'nothing' }] } } }],
  [
    'a token for a browser',
    {
      ...session,
      client: 'browser' as const,
      status: 200,
      body: { ...signedIn, meta: { is_authenticated: true, session_token: 'x' } },
    },
  ],
  [
    "a method of the contract's path",
    { ...session, method: 'POST', path: '/headless/authentication/logout/', status: 200, body: { status: 200 } },
  ],
])('refuses %s', async (_what, answer) => {
  await expect(checkAnswer(world.auth, answer)).rejects.toThrow(/: \d+ (?:is|has) /)
})

it('compares every response of a visitor, with the codes of a host if `errorMessages` has them', async () => {
  const open = (errorMessages: Readonly<Record<string, string>>): Promise<AuthWorld> =>
    authWorld({
      settings: { headless: { enabled: true } },
      adapters: {
        account: {
          errorMessages,
          preAuthenticate() {
            throw new InvalidInput([{ code: 'closed_today', message: 'Closed today.' }])
          },
        },
      },
    })
  const input = { username: 'ada', password: 'a made-up pass phrase' }
  const undeclared = await open({})
  await expect(undeclared.api('app').post('auth/login', input)).rejects.toThrow('does not declare: closed_today')
  await undeclared.close()
  const declared = await open({ closed_today: 'Closed today.' })
  expect((await declared.api('app').post('auth/login', input)).status).toBe(400)
  await declared.close()
})
