import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import type { GivenToken } from '../exchange.ts'
import { type SocialBench, socialBench, type SocialBrowser } from '../testing-bench.ts'

let bench: SocialBench
afterEach(() => bench.world.close())

const sendToken = (
  browser: SocialBrowser,
  token: GivenToken,
  process: 'login' | 'connect' = 'login',
  provider = 'google',
): Promise<unknown> =>
  browser.run(async (request, social) =>
    social
      .byToken(request, await social.adapter.getProvider(request, provider), token, process)
      .catch((error: unknown) => error),
  )

describe.each(testDatabases)('a token of a provider on %s', (_name, open) => {
  it('signs in once, and connects', async () => {
    bench = await socialBench({}, { open })
    const clientId = 'google-app'
    const [browser, another] = [bench.browser(), bench.browser()]
    const idToken = bench.idToken({ uid: '1', username: 'eve' }, 'token-1')
    expect(await sendToken(browser, { clientId, idToken })).toMatchObject({
      kind: 'login',
      outcome: { kind: 'authenticated', user: { username: 'eve' } },
    })
    expect(await sendToken(another, { clientId, idToken })).toMatchObject({
      errors: [{ code: 'invalid_token', param: 'token' }],
    })
    const second = { clientId, idToken: bench.idToken({ uid: '2' }, 'token-2') }
    expect(await sendToken(another, second, 'connect')).toMatchObject({ code: 'login_required' })
    expect(await sendToken(browser, second, 'connect')).toMatchObject({ kind: 'connected', action: 'added' })
    expect(await browser.whoami()).toBe('eve')
    const third = { clientId, idToken: bench.idToken({ uid: '3', username: 'ada' }, 'token-3') }
    const twice = await Promise.all([sendToken(browser, third), sendToken(another, third)])
    expect(twice.filter((outcome) => !(outcome instanceof Error))).toHaveLength(1)
  })
})

it.each([
  ['google', {}, 'client_id_required token'],
  ['google', { clientId: 'google-app' }, 'token_required token'],
  ['google', { clientId: 'another-app', idToken: 'x' }, 'invalid_token token'],
  ['google', { clientId: 'google-app', idToken: 'unknown' }, 'invalid_token token'],
  ['github', { clientId: 'github-app', accessToken: 'x' }, 'token_authentication_not_supported provider'],
] as const)('of %s that is %j is refused with %s', async (provider, token, expected) => {
  bench = await socialBench()
  const [code, param] = expected.split(' ')
  expect(await sendToken(bench.browser(), token, 'login', provider)).toMatchObject({ errors: [{ code, param }] })
})
