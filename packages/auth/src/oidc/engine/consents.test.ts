import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { type OidcBench, oidcBench, authorizationRequest } from './testing-bench.ts'

describe.each(testDatabases)('user interaction on %s', (_name, open) => {
  let bench: OidcBench
  afterEach(() => bench.close())

  it('is asked for once staff turn on the consent page', async () => {
    bench = await oidcBench({ open })
    const { client } = await bench.client({ skipConsent: true })
    const none = authorizationRequest(client, { prompt: 'none' })
    expect((await bench.authorize(none)).searchParams.has('code')).toBe(true)
    const { auth } = bench.world
    await auth.module('oidc').clients.update(auth.kernel.database.db, client.id, { skipConsent: false })
    expect((await bench.authorize(none)).searchParams.get('error')).toBe('consent_required')
    expect(await auth.module('oidc').tokens.ofUser(auth.kernel.database.db, bench.user.id)).toEqual([])
  })

  it('is asked for again after a scope is refused that was allowed before', async () => {
    bench = await oidcBench({ open })
    const { client } = await bench.client()
    await bench.code(client)
    const again = new URLSearchParams(authorizationRequest(client, { prompt: 'consent' })).toString()
    const page = await bench.browser.get((await bench.browser.get(`/identity/o/authorize?${again}`)).location ?? '')
    await bench.browser.post(page.at, { scope_openid: 'on', action: 'grant' })
    const silent = async (scope: string): Promise<string | null> =>
      (await bench.authorize(authorizationRequest(client, { prompt: 'none', scope }))).searchParams.get('error')
    expect(await silent('openid')).toBeNull()
    expect(await silent('openid things:read')).toBe('consent_required')
  })

  it("returns an error to the client if the host doesn't know the user there", async () => {
    bench = await oidcBench({ open, rest: { adapters: { oidc: { getUserBySub: () => Promise.resolve(null) } } } })
    const { client } = await bench.client({ scopes: ['openid'] })
    for (const prompt of ['none', 'login', '']) {
      const to = await bench.authorize(
        authorizationRequest(client, { scope: 'openid', ...(prompt !== '' && { prompt }) }),
      )
      expect([to.searchParams.get('error'), to.searchParams.get('state')]).toEqual(['access_denied', 'a-state'])
    }
    expect(bench.world.logged).toEqual([])
  })
})
