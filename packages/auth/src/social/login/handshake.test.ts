import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { ImmediateResponse } from '../../errors.ts'
import { type SocialBench, socialBench } from '../testing-bench.ts'

let bench: SocialBench
afterEach(() => bench.world.close())

const ADA = { uid: 'ada-there', username: 'ada' }
const readState = (url: URL): string => url.searchParams.get('state') ?? ''

describe.each(testDatabases)('a handshake on %s', (_name, open) => {
  it('is bound to its session, its provider and its state, is over after ten minutes, and happens once', async () => {
    bench = await socialBench({}, { open })
    const { world } = bench
    const code = bench.idToken(ADA)
    const browser = bench.browser()
    const first = await browser.leave('google')
    expect(Object.fromEntries(first.searchParams)).toEqual({
      state: expect.stringMatching(/^[A-Za-z0-9]{16}$/),
      redirect_uri: 'http://auth.test/accounts/google/login/callback/',
      client_id: 'google-app',
    })
    const state = readState(first)
    const failed = { kind: 'failed', headless: null, error: { code: 'unknown', provider: { id: 'google' } } }
    expect(await bench.browser().comeBack('google', { state, code })).toMatchObject(failed)
    expect(await browser.comeBack('google', { state: 'AAAAAAAAAAAAAAAA', code })).toMatchObject(failed)
    expect(await browser.comeBack('google', { code })).toMatchObject(failed)
    expect(await browser.comeBack('github', { state, code })).toMatchObject({ kind: 'failed' })
    expect(await browser.whoami()).toBeNull()

    expect(await browser.comeBack('google', { state, code })).toMatchObject({ kind: 'login' })
    expect(await browser.whoami()).toBe('ada')
    expect(await browser.comeBack('google', { state, code })).toMatchObject(failed)

    const late = readState(await browser.leave('google'))
    world.clock.advance(600_000)
    expect(await browser.comeBack('google', { state: late, code })).toMatchObject(failed)
  })

  it('is one of five; of two answers to one at the same moment one counts', async () => {
    bench = await socialBench({}, { open })
    const code = bench.idToken(ADA)
    const browser = bench.browser()
    const states: string[] = []
    for (let tab = 0; tab < 6; tab++) states.push(readState(await browser.leave('google')))
    const [oldest = '', second = ''] = states
    expect(await browser.comeBack('google', { state: oldest, code })).toMatchObject({ kind: 'failed' })
    const signedIn: string[] = []
    bench.world.auth.signals.on('user_logged_in', ({ user }) => void signedIn.push(user.username))
    const answers = [1, 2].map(() => browser.comeBack('google', { state: second, code }))
    expect((await Promise.all(answers)).map(({ kind }) => kind).toSorted()).toEqual(['failed', 'login'])
    expect(signedIn).toEqual(['ada'])
  })

  it('is kept beside another one that a second tab begins at the same moment', async () => {
    bench = await socialBench({}, { open })
    const code = bench.idToken(ADA)
    const browser = bench.browser()
    await browser.leave('google')
    const both = await Promise.all([browser.leave('google'), browser.leave('google')])
    const outcomes = []
    for (const url of both) outcomes.push((await browser.comeBack('google', { state: readState(url), code })).kind)
    expect(outcomes).toEqual(['login', 'login'])
  })

  it('of a protocol without a state is the newest one of its provider', async () => {
    bench = await socialBench({}, { open })
    const browser = bench.browser()
    await browser.leave('twitter', { next: '/old/' })
    await browser.leave('twitter', { next: '/new/' })
    await browser.leave('google')
    const outcome = await browser.comeBack('twitter', { oauth_token: 't', code: bench.idToken(ADA) })
    expect(outcome).toMatchObject({ kind: 'login', outcome: { kind: 'authenticated', redirectTo: '/new/' } })
  })
})

it('reports failures to the hook and the log, without request data', async () => {
  const told: string[] = []
  bench = await socialBench(
    {},
    {
      adapters: {
        social: {
          onAuthenticationError: (_request, { code, providerId, state }) =>
            void told.push(`${providerId} ${code} ${state?.process ?? 'none'}`),
        },
      },
    },
  )
  const browser = bench.browser()
  const headless = { callbackUrl: 'http://auth.test/app/' }
  const refused = readState(await browser.leave('google', { headless }))
  expect(await browser.comeBack('google', { state: refused, error: 'access_denied' })).toMatchObject({
    kind: 'failed',
    error: { code: 'cancelled' },
    headless: { ...headless, process: 'login' },
  })
  const wrong = readState(await browser.leave('google'))
  await browser.comeBack('google', { state: wrong, code: 'a-secret-code' })
  const noId = await browser.visit('google', { uid: '' })
  expect(noId).toMatchObject({ kind: 'failed', error: { code: 'unknown' } })
  expect(await browser.visit('google', { uid: 'x'.repeat(192) })).toMatchObject({ kind: 'failed' })
  await browser.comeBack('google', {})
  expect(told).toEqual([
    'google cancelled login',
    'google unknown login',
    'google unknown login',
    'google unknown login',
    'google unknown none',
  ])
  expect(bench.world.logged).toHaveLength(5)
  expect(bench.world.logged.every(({ level }) => level === 'warn')).toBe(true)
  expect(JSON.stringify(bench.world.logged)).not.toContain('a-secret-code')
})

it('lets a hook and a receiver answer the request themselves, and goes nowhere unsafe', async () => {
  let isAnswered = true
  const answer = (): void => {
    if (isAnswered) throw new ImmediateResponse(new Response('Come back tomorrow.'))
  }
  bench = await socialBench({}, { adapters: { social: { preSocialLogin: answer } } })
  const browser = bench.browser()
  await expect(browser.visit('google', ADA)).rejects.toThrow(ImmediateResponse)
  isAnswered = false
  const stop = bench.world.auth.signals.on('social_login', () => {
    throw new ImmediateResponse(new Response('Not you.'))
  })
  await expect(browser.visit('google', ADA)).rejects.toThrow(ImmediateResponse)
  stop()
  expect(await bench.auth.kernel.users.any(bench.auth.kernel.database.db)).toBe(false)

  const redirected = await browser.visit('google', ADA, { process: 'redirect', next: '/there/' })
  expect(redirected).toMatchObject({ kind: 'redirect', redirectTo: '/there/' })
  const elsewhere = await browser.visit('google', ADA, { process: 'redirect', next: 'https://evil.test/' })
  expect(elsewhere).toMatchObject({ kind: 'redirect', redirectTo: '/' })
  expect(await browser.whoami()).toBeNull()
  const signedIn = await browser.visit('google', ADA, { next: 'https://evil.test/' })
  expect(signedIn).toMatchObject({ kind: 'login', outcome: { redirectTo: '/accounts/profile/' } })
})

it('does not take an answer without the state that was sent along', async () => {
  const providers = { telegram: { APP: { client_id: 'bot', secret: 'a made-up token' } } }
  bench = await socialBench({ socialaccount: { providers } })
  const browser = bench.browser()
  const state = readState(await browser.leave('telegram'))
  const planted = bench.idToken({ uid: 'of an attacker' })
  expect(await browser.comeBack('telegram', { code: planted })).toMatchObject({ kind: 'failed' })
  expect(await browser.comeBack('telegram', { state, code: bench.idToken(ADA) })).toMatchObject({ kind: 'login' })
})
