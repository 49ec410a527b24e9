import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ExchangeStart } from '../exchange.ts'
import { handshake, type HandshakeOptions, STATE } from './testing-handshake.ts'

async function beginPage(provider: string, options: HandshakeOptions = {}, start: Partial<ExchangeStart> = {}) {
  const { begin } = await handshake(provider, options)
  const { url, kept } = await begin(start)
  const { origin, pathname, searchParams } = new URL(url)
  return { address: origin + pathname, params: Object.fromEntries(searchParams), kept, text: url }
}

describe('the page of a provider', () => {
  it('gets state, PKCE and nothing that identifies the user', async () => {
    const { params, kept, text } = await beginPage('github')
    const verifier = String(kept['verifier'])
    expect(verifier).toMatch(/^[\w-]{43}$/)
    expect(params).toEqual({
      client_id: 'our-client',
      redirect_uri: 'https://site.example/accounts/3rdparty/callback/',
      response_type: 'code',
      scope: 'user:email',
      state: STATE,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    expect(text).not.toContain(verifier)
    const { params: spaces, text: encoded } = await beginPage('google')
    expect(spaces['scope']).toBe('profile email')
    expect(encoded).toContain('scope=profile%20email')
  })

  const scopes: readonly [why: string, options: HandshakeOptions, start: Partial<ExchangeStart>, scope: string][] = [
    ['the defaults', {}, {}, 'profile email'],
    ['without addresses', { queryEmail: false }, {}, 'profile'],
    ['of the settings', { providerSettings: { SCOPE: ['calendar'] } }, {}, 'calendar'],
    ['of the app first', { providerSettings: { SCOPE: ['a'] }, settings: { scope: ['b'] } }, {}, 'b'],
    ['of the request besides, each once', {}, { scope: ['email', 'drive'] }, 'profile email drive'],
  ]
  it.each(scopes)('has scopes: %s', async (_why, options, start, scope) => {
    expect((await beginPage('google', options, start)).params['scope']).toBe(scope)
  })

  it('has scopes that come with tokens alone, or always', async () => {
    expect((await beginPage('eveonline')).params).not.toHaveProperty('scope')
    expect((await beginPage('eveonline', { storeTokens: true })).params['scope']).toBe('publicData')
    expect((await beginPage('authentiq', { settings: { scope: ['email'] } })).params['scope']).toBe('openid email~rs')
  })

  it('gets parameters of data, settings, app and request, later ones first', async () => {
    const { params } = await beginPage(
      'atlassian',
      { providerSettings: { AUTH_PARAMS: { prompt: 'login', ui: 'dark' } } },
      { authParams: { ui: 'light' } },
    )
    expect(params).toMatchObject({ audience: 'api.atlassian.com', prompt: 'login', ui: 'light' })
    const ofApp = { providerSettings: { AUTH_PARAMS: { ui: 'dark' } }, settings: { auth_params: { hint: 'x' } } }
    const changed = (await beginPage('atlassian', ofApp)).params
    expect(changed).toMatchObject({ hint: 'x' })
    expect(changed).not.toHaveProperty('ui')
  })

  it("never gets overrides of the handshake's protection", async () => {
    const hostile = {
      client_id: 'theirs',
      redirect_uri: 'https://evil.example/',
      response_type: 'token',
      response_mode: 'fragment',
      scope: 'everything',
      state: 'theirs',
      nonce: 'theirs',
      code_challenge: 'theirs',
      code_challenge_method: 'plain',
      request: 'a.b.c',
      request_uri: 'https://evil.example/request',
    }
    for (const provider of ['github', 'apple', 'linkedin_oauth2', 'weixin', 'notion']) {
      const honest = await beginPage(provider)
      expect((await beginPage(provider, {}, { authParams: hostile })).params).toEqual(honest.params)
    }
  })

  const actions: readonly [provider: string, action: ExchangeStart['action'], params: object][] = [
    ['google', 'reauthenticate', { prompt: 'select_account consent' }],
    ['facebook', 'reauthenticate', { auth_type: 'reauthenticate' }],
    ['facebook', 'rerequest', { auth_type: 'rerequest' }],
    ['salesforce', 'reauthenticate', { approval_prompt: 'force' }],
  ]
  it.each(actions)('of %s is requested with %s, whatever the request contains', async (provider, action, params) => {
    const authParams = Object.fromEntries(Object.keys(params).map((name) => [name, 'none']))
    expect((await beginPage(provider, {}, { action, authParams })).params).toMatchObject(params)
    expect((await beginPage(provider)).params).not.toHaveProperty(Object.keys(params)[0] ?? '')
  })

  const pkce: readonly [provider: string, options: HandshakeOptions, on: boolean][] = [
    ['google', {}, true],
    ['google', { providerSettings: { OAUTH_PKCE_ENABLED: false } }, false],
    ['google', { providerSettings: { OAUTH_PKCE_ENABLED: false }, settings: { oauth_pkce_enabled: true } }, true],
    ['linkedin_oauth2', {}, false],
    ['linkedin_oauth2', { settings: { oauth_pkce_enabled: true } }, true],
  ]
  it.each(pkce)('of %s with %j has PKCE: %j', async (provider, options, on) => {
    const { params, kept } = await beginPage(provider, options)
    expect([Object.hasOwn(params, 'code_challenge'), Object.hasOwn(kept, 'verifier')]).toEqual([on, on])
  })

  it('of Apple posts back, with a nonce', async () => {
    const { params, kept } = await beginPage('apple', { clientId: 'our-client, our.app.for.telephones' })
    expect(params).toMatchObject({
      response_mode: 'form_post',
      response_type: 'code id_token',
      client_id: 'our-client',
    })
    expect(params['nonce']).toBe(kept['nonce'])
    expect(params['nonce']).toMatch(/^[\w-]{32}$/)
  })
})

describe('the address of a provider', () => {
  const addresses: readonly [
    provider: string,
    options: HandshakeOptions,
    query: Readonly<Record<string, string>>,
    address: string,
  ][] = [
    [
      'github',
      { providerSettings: { GITHUB_URL: 'https://git.site.example/' } },
      {},
      'https://git.site.example/login/oauth/authorize',
    ],
    [
      'gitlab',
      { providerSettings: { GITLAB_URL: 'https://a.example' }, settings: { gitlab_url: 'https://b.example' } },
      {},
      'https://b.example/oauth/authorize',
    ],
    [
      'microsoft',
      { providerSettings: { tenant: 'ours' } },
      {},
      'https://login.microsoftonline.com/ours/oauth2/v2.0/authorize',
    ],
    [
      'microsoft',
      { settings: { tenant: 'theirs', login_url: 'https://login.microsoftonline.us' } },
      {},
      'https://login.microsoftonline.us/theirs/oauth2/v2.0/authorize',
    ],
    [
      'facebook',
      { providerSettings: { VERSION: 'v23.0', AUTHORIZE_URL: undefined } },
      {},
      'https://www.facebook.com/v23.0/dialog/oauth',
    ],
    [
      'paypal',
      { providerSettings: { MODE: 'live' } },
      {},
      'https://www.paypal.com/webapps/auth/protocol/openidconnect/v1/authorize',
    ],
    [
      'paypal',
      { providerSettings: { MODE: 'test' } },
      {},
      'https://www.sandbox.paypal.com/webapps/auth/protocol/openidconnect/v1/authorize',
    ],
    [
      'trainingpeaks',
      { providerSettings: { USE_PRODUCTION: true } },
      {},
      'https://oauth.trainingpeaks.com/OAuth/Authorize',
    ],
    ['dwolla', { providerSettings: { ENVIRONMENT: 'sandbox' } }, {}, 'https://uat.dwolla.com/oauth/v2/authenticate'],
    ['battlenet', {}, { region: 'CN' }, 'https://oauth.battlenet.com.cn/authorize'],
    ['battlenet', { providerSettings: { REGION: 'cn' } }, { region: 'sea' }, 'https://oauth.battle.net/authorize'],
    [
      'battlenet',
      { providerSettings: { REGION: 'cn' } },
      { region: 'mars' },
      'https://oauth.battlenet.com.cn/authorize',
    ],
    ['shopify', {}, { shop: 'a-shop' }, 'https://a-shop.myshopify.com/admin/oauth/authorize'],
    ['shopify', {}, { shop: 'a-shop.myshopify.com' }, 'https://a-shop.myshopify.com/admin/oauth/authorize'],
    [
      'github',
      { settings: { endpoints: { authorize_url: 'http://127.0.0.1:8099/a?x=1' } } },
      {},
      'http://127.0.0.1:8099/a',
    ],
  ]
  it.each(addresses)('%s with %j and %j', async (provider, options, query, address) => {
    expect((await beginPage(provider, options, { query: new URLSearchParams(query) })).address).toBe(address)
  })

  const refused: readonly [provider: string, options: HandshakeOptions, query: Readonly<Record<string, string>>][] = [
    ['shopify', {}, {}],
    ['shopify', {}, { shop: 'evil.example' }],
    ['shopify', {}, { shop: 'evil.example/.myshopify.com' }],
    ['shopify', {}, { shop: 'evil.example?.myshopify.com' }],
    ['shopify', { settings: { shop: 'not-a-setting' } }, {}],
    ['auth0', { providerSettings: { AUTH0_URL: undefined } }, {}],
    ['nextcloud', { settings: { server: undefined } }, {}],
    ['auth0', { providerSettings: { AUTH0_URL: 'http://tenant.example' } }, {}],
    ['auth0', { providerSettings: { AUTH0_URL: 'javascript:alert(1)//' } }, {}],
    ['github', { settings: { endpoints: { authorize_url: 'http://provider.example/' } } }, {}],
  ]
  it.each(refused)('%s refuses %j and %j', async (provider, options, query) => {
    const asked = beginPage(provider, options, { query: new URLSearchParams(query) })
    await expect(asked).rejects.toMatchObject({ name: 'ProviderError', code: 'unknown' })
  })

  it('is one with https for callbacks that are registered so', async () => {
    const { call, exchange } = await handshake('edx')
    const begun = await exchange.begin(
      { ...call, redirectUri: 'http://site.example/cb' },
      { state: STATE, action: 'authenticate', scope: [], authParams: {}, query: new URLSearchParams() },
    )
    expect(new URL(begun.url).searchParams.get('redirect_uri')).toBe('https://site.example/cb')
  })
})
