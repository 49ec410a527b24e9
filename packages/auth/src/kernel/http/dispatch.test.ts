import { SqlError } from '@gatepost/sql'
import { afterEach, describe, expect, it } from 'vitest'
import type { AccountAdapterInput } from '../../account/adapter.ts'
import { AuthError, ImmediateResponse } from '../../errors.ts'
import type { Visit } from '../visit.ts'
import { type AuthWorld, authWorld, ORIGIN } from '../../testing/auth-world.ts'
import type { PageAnswer, PageRoute } from './route.ts'

const PASSWORD = 'correct horse battery'
const HOME = '/accounts/profile/'
const NEVER_STORED = /no-store/

let world: AuthWorld
afterEach(async () => world.close())

const page = (work: (request: Visit) => Promise<PageAnswer>): PageRoute => ({
  name: 'own',
  path: 'own/',
  access: 'anon',
  GET: work,
  POST: work,
  limit: { action: 'signup', per: 'ip' },
})
const redirect: PageAnswer = { kind: 'redirect', to: HOME }
const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
  world.auth.fetch(new Request(new URL(path, ORIGIN), init))

describe('errors before a page is reached', () => {
  it.each([
    ['reading the session', '/accounts/login/', {}],
    [
      'reading the session of a form that is too large',
      '/accounts/login/',
      { method: 'POST', body: 'a'.repeat(200_000) },
    ],
  ])('is a 503 while the database cannot be used: %s', async (_why, path, init) => {
    world = await authWorld()
    const { sessions } = world.auth.kernel
    const secret = new Error('/data/secret.db is full')
    Object.assign(sessions, {
      open: () => Promise.reject(new SqlError('database_unavailable', { reason: 'SQLITE_FULL' }, { cause: secret })),
    })
    const answer = await ask(path, init)
    expect(answer.status).toBe(503)
    expect(answer.headers.get('cache-control')).toMatch(NEVER_STORED)
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(await answer.text()).not.toContain('secret')
  })

  it('is a 503 when the session cannot be written', async () => {
    world = await authWorld({
      pages: () => [
        page(async (request) => {
          request.session.set('a', 1)
          request.session.commit = () => Promise.reject(new SqlError('database_unavailable'))
          Object.assign(request.session, { save: () => Promise.reject(new SqlError('database_unavailable')) })
          return redirect
        }),
      ],
    })
    const answer = await ask('/accounts/own/')
    expect(answer.status).toBe(503)
    expect(answer.headers.get('cache-control')).toMatch(NEVER_STORED)
  })

  it.each(['isAjax', 'getClientIp', 'getHttpUserAgent'] as const)('is a page when the hook %s throws', async (hook) => {
    let error: Error = new Error('made up secret')
    const account: AccountAdapterInput = () => ({
      [hook]: () => {
        throw error
      },
    })
    world = await authWorld({ adapters: { account } })
    const failed = await ask('/accounts/login/', { headers: { 'accept-language': 'de' } })
    expect([failed.status, await failed.text()]).toEqual([500, expect.stringContaining('Ein Fehler ist aufgetreten')])
    error = new ImmediateResponse(new Response('at once', { status: 418 }))
    const answered = await ask('/accounts/login/')
    expect([answered.status, await answered.text()]).toEqual([418, 'at once'])
  })
})

it.each([
  ['a path without its last slash', '/accounts/login?next=/x', {}, 302],
  ['a host that is not known', '/accounts/login/', { headers: { host: 'evil.test' } }, 400],
  ['a page that is not there', '/accounts/nowhere/', {}, 404],
  ['a method that a page does not take', '/accounts/login/', { method: 'PUT' }, 405],
  ['a form from elsewhere', '/accounts/login/', { method: 'POST' }, 403],
])('no cache keeps the answer to %s', async (_why, path, init, status) => {
  world = await authWorld()
  const answer = await ask(path, init)
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([status, expect.stringMatching(NEVER_STORED)])
})

it('no cache keeps the way to https', async () => {
  world = await authWorld({ settings: { secureSslRedirect: true } })
  const answer = await ask('/accounts/login/?next=/x')
  expect(answer.headers.get('location')).toBe('https://auth.test/accounts/login/?next=/x')
  expect(answer.headers.get('cache-control')).toMatch(NEVER_STORED)
})

it.each<[why: string, count: number, headers: Record<string, string>, status: number]>([
  ['http to a site whose addresses are https', 0, {}, 301],
  ['http, although an untrusted header says https', 0, { 'x-forwarded-proto': 'https' }, 301],
  ['https to the proxy in front', 1, { 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.9' }, 200],
  ['http to the proxy in front', 1, { 'x-forwarded-proto': 'http', 'x-forwarded-for': '192.0.2.9' }, 301],
])('sends to https who came by %s', async (_why, trustedProxyCount, headers, status) => {
  world = await authWorld({ origin: 'https://auth.test', settings: { secureSslRedirect: true, trustedProxyCount } })
  const answer = await ask('/accounts/login/', { headers: { host: 'auth.test', ...headers } })
  expect(answer.status).toBe(status)
})

describe('a request whose session was changed in the meantime', () => {
  it('is retried, and takes its rate limit once', async () => {
    let runs = 0
    world = await authWorld({
      settings: { account: { rateLimits: { signup: '3/m/ip' } } },
      pages: () => [
        page(async () => {
          if (++runs % 3 !== 0) throw new AuthError('session_conflict')
          return redirect
        }),
      ],
    })
    const ada = world.visitor()
    expect((await ada.post('/accounts/own/')).location).toBe(HOME)
    expect((await ada.post('/accounts/own/')).location).toBe(HOME)
    expect(runs).toBe(6)
  })

  it('does not run again once it is done', async () => {
    let runs = 0
    world = await authWorld({
      pages: () => [
        page(async (request) => {
          runs++
          Object.assign(request.session, { save: () => Promise.reject(new AuthError('session_conflict')) })
          return redirect
        }),
      ],
    })
    expect((await ask('/accounts/own/')).status).toBe(409)
    expect(runs).toBe(1)
  })
})

describe('a rolled-back transaction', () => {
  it.each([
    ['a refusal', () => new AuthError('permission_denied'), 403],
    ['the response of a hook', () => new ImmediateResponse(new Response('no', { status: 418 })), 418],
  ])('leaves the visitor signed in as before: %s', async (_why, error, status) => {
    world = await authWorld({
      pages: () => [
        page((request) =>
          request.transaction(async () => {
            request.session.cycle()
            await request.session.commit()
            throw error()
          }),
        ),
      ],
    })
    await world.addUser({ username: 'ada', email: 'ada@example.org', password: PASSWORD })
    const ada = world.visitor()
    await ada.login('ada', PASSWORD)
    expect((await ada.get('/accounts/own/')).status).toBe(status)
    expect(await ada.whoami()).toBe('ada')
  })
})

it('the log names a page that failed, and no key of its address', async () => {
  world = await authWorld({
    pages: () => [{ ...page(() => Promise.reject(new Error('made up'))), path: 'own/{key}/' }],
  })
  expect((await ask('/accounts/own/a-secret-key/')).status).toBe(500)
  const { message, fields } = world.logged[0] ?? {}
  expect([message, fields?.['page'], JSON.stringify(fields)]).toEqual([
    'A page failed',
    'own',
    expect.not.stringContaining('a-secret-key'),
  ])
})

it('everything that waits for a commit runs, though a receiver fails', async () => {
  const ran: string[] = []
  world = await authWorld({
    pages: () => [
      page(async (request) => {
        await request.transaction(async () => {
          await request.afterCommit(() => Promise.reject(new Error('made up')))
          await request.afterCommit(() => void ran.push('mail'))
        })
        return redirect
      }),
    ],
  })
  expect((await ask('/accounts/own/')).status).toBe(500)
  expect(ran).toEqual(['mail'])
})

it('a form may lead to where the settings send people', async () => {
  world = await authWorld({
    settings: {
      loginRedirectUrl: 'https://app.example.org/home',
      account: { logoutRedirectUrl: 'https://www.example.org/', signupRedirectUrl: '/welcome/' },
    },
  })
  const policy = (await ask('/accounts/login/')).headers.get('content-security-policy')
  const targets = /form-action ([^;]*)/.exec(policy ?? '')?.[1]?.split(' ')
  expect(targets).toEqual(["'self'", 'https://app.example.org', 'https://www.example.org'])
})

it('a message that no page has shown is still there', async () => {
  world = await authWorld({
    pages: () => [
      page(async (request) => {
        request.addMessage('info', 'Look at this')
        return redirect
      }),
    ],
  })
  const ada = world.visitor()
  await ada.get('/accounts/own/')
  await ask('/accounts/login/', { method: 'HEAD' })
  const head = await world.auth.fetch(
    new Request(`${ORIGIN}/accounts/login/`, {
      method: 'HEAD',
      headers: { cookie: `messages=${ada.cookies.get('messages') ?? ''}` },
    }),
  )
  expect(head.headers.getSetCookie().filter((line) => line.startsWith('messages='))).toEqual([])
  expect((await ada.get('/accounts/login/')).text).toContain('Look at this')
})
