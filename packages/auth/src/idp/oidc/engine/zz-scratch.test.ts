import { describe, expect, it, afterAll } from 'vitest'
import { oidcBench, requestOf, codeGrant, CALLBACK, PASSWORD, RESOURCE, type OidcBench } from './testing-bench.ts'
import { ORIGIN } from '../../../testing/auth-world.ts'

const TOKEN = '/identity/o/api/token'
const q = (p: Record<string, string>) => `/identity/o/authorize?${new URLSearchParams(p)}`
const go = async (bench: OidcBench, p: Record<string, string>, browser = bench.browser) => {
  let page: any = await browser.get(q(p))
  const trail = [`${page.status} ${page.location}`]
  for (let i = 0; i < 6 && page.location?.startsWith('/'); i++) { page = await browser.get(page.location); trail.push(`${page.status} ${page.location ?? page.text.slice(0, 80)}`) }
  return trail
}
describe('scratch', () => {
  it('max_age 0', async () => {
    const bench = await oidcBench()
    const own = await bench.client()
    await bench.code(own.client)
    bench.world.clock.advance(2000)
    const begun = await bench.browser.get(q(requestOf(own.client, { max_age: '0' })))
    const at = begun.location!
    console.log('max_age', at, (await bench.browser.get(at)).location)
    const c = await bench.browser.post(`/accounts/reauthenticate/?next=${at}`, { password: PASSWORD })
    console.log(c.location)
    bench.world.clock.advance(1500)
    const p = await bench.browser.get(at)
    console.log('after', p.status, p.location, p.text.slice(0, 100))
    await bench.close()
  })
  it('reduced scopes', async () => {
    const bench = await oidcBench()
    const own = await bench.client()
    const t = await bench.tokens(own, { scope: 'openid things:read email' })
    const { core } = bench.world.auth
    await core.oidc.clients.update(core.database.db, own.client.id, { scopes: ['openid'] })
    const r = await bench.post(TOKEN, { grant_type: 'refresh_token', refresh_token: String(t.json['refresh_token']), client_id: own.client.id, client_secret: own.secret })
    console.log('reduced', r.status, r.json['scope'], (await core.oidc.tokens.check(String(t.json['access_token'])))?.scopes)
    // silent code
    console.log('silent', await go(bench, requestOf(own.client, { scope: 'openid things:read' })))
    await bench.close()
  })
  it('getUserBySub null', async () => {
    const bench = await oidcBench({ rest: { adapters: { oidc: { getUserBySub: async () => null } as any } } })
    const own = await bench.client()
    console.log('nobody', await go(bench, requestOf(own.client)))
    console.log('nobody none', await go(bench, requestOf(own.client, { prompt: 'none' })))
    console.log(bench.world.logged)
    await bench.close()
  })
  it('other users', async () => {
    const bench = await oidcBench({ rest: { adapters: { oidc: (d: any) => ({ getUserSub: (c: any, u: any) => `${c.id.slice(0, 4)}-${u.id}`, getUserBySub: async (c: any, s: string) => d.getUserBySub(c, s.split('-')[1]) }) as any } } })
    const own = await bench.client()
    const t = await bench.tokens(own)
    console.log('pairwise', t.status, t.json['scope'])
    await bench.close()
  })
  it('weird clients', async () => {
    const bench = await oidcBench()
    const { core } = bench.world.auth
    const out: string[] = []
    for (const type of ['public', 'confidential'])
      for (const gt of [[], ['refresh_token'], ['authorization_code'], ['urn:ietf:params:oauth:grant-type:device_code'], ['client_credentials'], ['authorization_code', 'client_credentials']])
        for (const rt of [[], ['code'], ['id_token'], ['id_token token', 'code'], ['nonsense']]) {
          const own = await bench.client({ type: type as any, redirectUris: [CALLBACK] })
          await core.database.db.updateTable('allauth_idp_oidc_client' as any).set({ grant_types: gt.join('\n'), response_types: rt.join('\n') }).where('id', '=', own.client.id).execute()
          for (const response_type of ['code', 'id_token', 'id_token token', '']) {
            const res = await bench.browser.get(q(requestOf(own.client, { response_type, nonce: 'n', prompt: 'none' })))
            const err = res.location ? new URL(res.location, ORIGIN).href.match(/error=([a-z_]+)/)?.[1] : res.text.slice(0, 80)
            out.push(`${type} ${gt} ${rt} ask ${response_type}: ${res.status} ${err}`)
          }
          for (const g of ['authorization_code', 'refresh_token', 'client_credentials', 'urn:ietf:params:oauth:grant-type:device_code']) {
            const r = await bench.post(TOKEN, { grant_type: g, client_id: own.client.id, ...(own.secret && { client_secret: own.secret }), code: 'x', refresh_token: 'x', device_code: 'x', redirect_uri: CALLBACK })
            out.push(`   ${type} ${gt} ${rt} tok ${g}: ${r.status} ${r.json['error']}`)
          }
        }
    console.log(out.filter((x) => /500|server_error|invalid_client_metadata/.test(x)).join('\n'), '\n', out.filter((_, i) => i % 9 === 0).slice(0, 30).join('\n'), bench.world.logged.length, JSON.stringify(bench.world.logged[0]))
    await bench.close()
  }, 60000)
  it('listed apps', async () => {
    const bench = await oidcBench()
    const own = await bench.client({ grantTypes: ['authorization_code'] })
    await bench.tokens(own)
    bench.world.clock.advance(4000_000)
    const { core } = bench.world.auth
    console.log('listed', (await core.oidc.tokens.ofUser(core.database.db, bench.user.id)).length, await go(bench, requestOf(own.client)))
    await bench.close()
  })
  it('loopback public', async () => {
    const bench = await oidcBench()
    const own = await bench.client({ type: 'public', redirectUris: ['http://127.0.0.1/cb'] })
    await bench.authorize(requestOf(own.client, { redirect_uri: 'http://127.0.0.1:1234/cb' }))
    console.log('loopback', await go(bench, requestOf(own.client, { redirect_uri: 'http://127.0.0.1:6666/cb' })))
    for (const uri of ['http://127.0.0.1:6666/cb?code=evil', 'http://127.0.0.1.:6666/cb', 'http://127.0.0.1:99999/cb', 'http://127.0.0.1:/cb', 'HTTP://127.0.0.1/cb', 'http://0x7f.1/cb', 'http://127.0.0.1:80/cb', 'http://localhost/cb', 'http://[::1]/cb'])
      console.log(uri, (await go(bench, requestOf(own.client, { redirect_uri: uri, scope: 'nope' })))[0])
    await bench.close()
  })
  it('hosts and odd', async () => {
    const bench = await oidcBench()
    const own = await bench.client()
    for (const h of ['evil.example', 'id.example.org@evil', 'id.example.org:1'])
      for (const p of ['/.well-known/openid-configuration', '/identity/o/authorize?client_id=x', TOKEN]) {
        try {
        const r = await bench.world.auth.fetch(new Request(`https://${h}${p}`, { headers: { host: h, 'x-forwarded-host': h } }), { remoteAddress: '1.2.3.4' })
        console.log(h, p, r.status, (await r.text()).slice(0, 200)) } catch (e) { console.log(h, p, String(e)) }
      }
    for (const extra of [{ state: '\0' }, { nonce: '\0x' }, { state: '</script><script>alert(1)</script>', response_mode: 'form_post' }, { response_mode: 'jwt' }, { response_mode: 'web_message' }, { response_mode: 'query', response_type: 'id_token' }, { request_uri: 'https://evil' }, { registration: '{}' }, { claims: '{"userinfo":{"email":null}}' }, { max_age: '-1' }, { max_age: 'x' }, { max_age: '99999999999999999999' }, { id_token_hint: 'x.y.z' }, { id_token_hint: 'a' }, { acr_values: 'aal2' }, { prompt: 'none login' }, { prompt: 'select_account' }, { prompt: 'create' }, { scope: 'openid\topenid' }, { scope: '\0' }, { code_challenge: 'x' }, { code_challenge: 'x'.repeat(200) }, { resource: 'x' }, { resource: RESOURCE + '#f' }, { dpop_jkt: 'x' }, { authorization_details: '[]' }, { login_hint: '\0"<b>' }, { ui_locales: '\0' }, { client_id: '\0' }, { client_id: '\ud800' }, { redirect_uri: 'https://client.example/callback?code=x' }, {response_type: 'none'}, {response_type: 'code id_token'}] as Record<string, string>[]) {
      const t = await go(bench, requestOf(own.client, { ...extra }))
      console.log(JSON.stringify(extra).slice(0, 80), t.join(' -> ').slice(0, 300))
    }
    console.log(bench.world.logged)
    await bench.close()
  })
  it('device confidential, aud', async () => {
    const bench = await oidcBench()
    const own = await bench.client({ type: 'confidential', grantTypes: ['urn:ietf:params:oauth:grant-type:device_code'] })
    const r = await bench.post('/identity/o/api/device/code', { client_id: own.client.id, client_secret: own.secret, scope: 'openid' })
    console.log('dev', r.status, r.json)
    const d = await bench.call('/.well-known/openid-configuration')
    console.log(await d.json(), Object.fromEntries(d.headers))
    const tok = await bench.call(TOKEN, { method: 'POST', body: 'x' })
    console.log(Object.fromEntries(tok.headers))
    await bench.close()
  })
})
