import { afterEach, describe, expect, it } from 'vitest'
import { singleEmail, PROVIDERS, type SocialBench, socialBench } from '../social/testing-bench.ts'
import { everywhere } from '../testing/api-cases.ts'
import { readPath } from '../testing/api-bench.ts'

let bench: SocialBench
afterEach(() => bench.world.close())

const GOOGLE = {
  id: 'google',
  name: 'Google',
  flows: ['provider_redirect', 'provider_token'],
  client_id: 'google-app',
}
const GITHUB = { id: 'github', name: 'GitHub', flows: ['provider_redirect'], client_id: 'github-app' }
const TWITTER = { id: 'twitter', name: 'X', flows: ['provider_redirect'] }

describe.each(everywhere)('providers for %s', (_name, client, open) => {
  it('are listed with their capabilities, and the pending one', async () => {
    const providers = { ...PROVIDERS, apple: { APP: { client_id: 'hidden', settings: { hidden: true } } } }
    const headless = { enabled: true }
    const account = { signupFields: ['email*', 'username*', 'password1*'] as const }
    bench = await socialBench({ headless, account, socialaccount: { providers } }, { open })
    const api = bench.world.api(client)
    expect(readPath(await api.get('config'), 'data.socialaccount')).toEqual({
      providers: client === 'app' ? [GOOGLE] : [GITHUB, GOOGLE, TWITTER],
    })
    const entrance = ['login', 'signup'].map((id) => ({ id }))
    const redirect = { id: 'provider_redirect', providers: ['github', 'google', 'twitter'] }
    const token = { id: 'provider_token', providers: ['google'] }
    const ways = [...entrance, ...(client === 'app' ? [] : [redirect]), token]
    expect(readPath(await api.get('auth/session'), 'data.flows')).toEqual(ways)

    const bring = (id_token: string) => ({
      provider: 'google',
      process: 'login',
      token: { client_id: 'google-app', id_token },
    })
    const pending = { id: 'provider_signup', provider: GOOGLE, is_pending: true }
    const first = await api.post('auth/provider/token', bring(bench.idToken({ uid: '1' }, 'first')))
    expect([first.status, readPath(first, 'data.flows')]).toEqual([401, [...ways, pending]])

    const known = bench.idToken({ uid: '1', emails: singleEmail('eve@example.org'), username: 'eve' }, 'second')
    const second = await api.post('auth/provider/token', bring(known))
    expect(second.status).toBe(200)
    expect(readPath(second, 'data.methods')).toEqual([
      { method: 'socialaccount', at: expect.any(Number), provider: 'google', uid: '1' },
    ])
  })
})
