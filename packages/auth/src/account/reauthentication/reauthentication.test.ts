import { afterEach, describe, expect, it } from 'vitest'
import type { PageRoute } from '../../kernel/http/route.ts'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'
import type { Visitor } from '../../testing/visitor.ts'

const PAGE = '/accounts/reauthenticate/'
const EMAIL = '/accounts/email/'
const PASSWORD = 'a made-up phrase'
const ACCOUNT = {
  loginMethods: ['email'],
  signupFields: ['email*', 'password1*'],
  reauthenticationRequired: true,
} as const

/** A host page that requires recent reauthentication. */
const VAULT = '/vault/'
const vault: PageRoute = {
  name: 'vault',
  path: VAULT,
  access: 'recent',
  GET: async () => ({ kind: 'response', response: new Response('opened by GET') }),
  POST: async ({ form }) => ({ kind: 'response', response: new Response(`opened with ${form.get('what')}`) }),
}

let world: AuthWorld
const open = async (account: object = {}): Promise<Visitor> => {
  world = await authWorld({ settings: { account: { ...ACCOUNT, ...account } }, pages: () => [vault] })
  await world.addUser({ username: 'Ada', email: 'ada@example.org', password: PASSWORD })
  const ada = world.visitor()
  await ada.login('ada@example.org', PASSWORD)
  return ada
}
afterEach(() => world.close())
const expireReauthentication = (): void => world.clock.advance(301_000)

/** Returns the fields and target of the form that resends a suspended POST. */
function findSuspendedForm(html: string): { readonly action: string; readonly fields: Record<string, string> } {
  const form = /<form class="[^"]*is-reauthenticate[^]*?<\/form>/.exec(html)?.[0] ?? ''
  const action = / action="([^"]*)"/.exec(form)?.[1] ?? ''
  const inputs = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  return { action, fields: Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, value])) }
}

describe('reauthentication', () => {
  it('is not required right after sign-in, but after a while', async () => {
    const ada = await open()
    expect((await ada.get(VAULT)).text).toBe('opened by GET')
    expireReauthentication()
    expect((await ada.get(`${VAULT}?a=b`)).location).toBe(`${PAGE}?next=${VAULT}%3Fa%3Db`)
    const confirmed = await ada.post(`${PAGE}?next=${VAULT}%3Fa%3Db`, { password: PASSWORD })
    expect(confirmed.location).toBe(`${VAULT}?a=b`)
    expect((await ada.get(VAULT)).text).toBe('opened by GET')
  })

  it('refuses and counts a wrong password', async () => {
    const ada = await open({ rateLimits: { login_failed: '2/m/key' } })
    expireReauthentication()
    for (const _ of [1, 2]) {
      const wrong = await ada.post(PAGE, { password: 'typed-in-secret', next: EMAIL })
      expect(wrong.text).toContain('Incorrect password.')
      expect(wrong.html).not.toContain('typed-in-secret')
    }
    expect((await ada.post(PAGE, { password: PASSWORD, next: EMAIL })).text).toContain('Too many attempts.')
    world.clock.advance(60_001)
    expect((await ada.post(PAGE, { password: PASSWORD, next: '//evil.example' })).location).toBe('/accounts/profile/')
  })

  it('is limited per user', async () => {
    const ada = await open({ rateLimits: { reauthenticate: '1/m/user' } })
    await ada.post(PAGE, { password: 'wrong' })
    expect((await ada.post(PAGE, { password: PASSWORD })).status).toBe(429)
  })

  it('keeps a user signed in whose old hash is upgraded', async () => {
    await open({ loginByCodeEnabled: true })
    const { auth } = world
    await auth.kernel.users.setPassword(auth.kernel.database.db, 1, 'md5$seasalt$1e9bf2bf5606aa5c39852cc30f0f6f22')
    const ada = world.visitor()
    await ada.post('/accounts/login/code/', { email: 'ada@example.org' })
    const [code = ''] = /\b[A-Z]{4}-[A-Z]{4}\b/.exec((await world.mailTo('ada@example.org')).text) ?? []
    await ada.post('/accounts/login/code/confirm/', { code })
    expect((await ada.post(PAGE, { password: 'password', next: EMAIL })).location).toBe(EMAIL)
    expect(await auth.kernel.users.loadPasswordHash(auth.kernel.database.db, 1)).toMatch(/^argon2/)
    expect(await ada.whoami()).toBe('Ada')
  })

  it('is still required when another user starts to sign in', async () => {
    const ada = await open({ authenticatedLoginRedirects: false, emailVerification: 'mandatory' })
    await world.addUser({ username: 'Eve', email: 'eve@example.org', password: PASSWORD, verified: false })
    expireReauthentication()
    expect((await ada.login('eve@example.org', PASSWORD)).location).toBe('/accounts/confirm-email/')
    expect((await ada.post(EMAIL, { action_add: '', email: 'eve@example.com' })).location).toContain('/accounts/login/')
    expect(await ada.whoami()).toBeNull()
  })

  it("is not required right after signing in over another user's session", async () => {
    const visitor = await open({ authenticatedLoginRedirects: false })
    await world.addUser({ username: 'Eve', email: 'eve@example.org', password: PASSWORD })
    await visitor.login('eve@example.org', PASSWORD)
    expect([await visitor.whoami(), (await visitor.get(VAULT)).text]).toEqual(['Eve', 'opened by GET'])
  })

  it('does not take the password of another user with the same address', async () => {
    const ada = await open({ uniqueEmail: true, preventEnumeration: 'strict' })
    await world.addUser({ username: 'Eve', email: 'ada@example.org', password: 'another phrase', verified: false })
    expect((await ada.post(PAGE, { password: 'another phrase' })).text).toContain('Incorrect password.')
  })

  it('resends a suspended POST after confirmation, with its fields and a new CSRF token', async () => {
    const ada = await open()
    expireReauthentication()
    const waiting = await ada.post(`${VAULT}?a=b`, { what: '<b>&', 'o\'dd"': '' })
    expect(waiting.location).toBe(`${PAGE}?next=${VAULT}%3Fa%3Db`)
    const confirmed = await ada.post(PAGE, { password: PASSWORD, next: `${VAULT}?a=b` })
    const { action, fields } = findSuspendedForm((await ada.follow(confirmed)).html)
    expect(action).toBe(`${VAULT}?a=b`)
    expect(fields).toMatchObject({ what: '&lt;b&gt;&amp;', 'o&#39;dd&quot;': '' })
    expect(fields['csrfmiddlewaretoken']).not.toBe(ada.cookies.get('csrftoken'))
    const sent = await ada.post(action, { what: '<b>&', csrfmiddlewaretoken: fields['csrfmiddlewaretoken'] ?? '' })
    expect(sent.text).toBe('opened with &')
  })

  it('suspends POSTs to the account pages', async () => {
    const ada = await open()
    expireReauthentication()
    await ada.post(EMAIL, { action_add: '', email: 'new@example.org' })
    expect(await world.mails()).toEqual([])
    const page = await ada.follow(await ada.post(PAGE, { password: PASSWORD, next: EMAIL }))
    const { action, fields } = findSuspendedForm(page.html)
    expect([action, fields['email']]).toEqual([EMAIL, 'new@example.org'])
    expect((await ada.follow(await ada.post(action, fields))).text).toContain('new@example.org')
    expect((await world.mailTo('new@example.org')).subject).toContain('Verify')
    expect(findSuspendedForm((await ada.get(`${PAGE}?next=${EMAIL}`)).html).fields['email']).toBeUndefined()
  })

  it('does not keep a POST with a password in it, nor one for another page', async () => {
    const ada = await open()
    expireReauthentication()
    await ada.post(EMAIL, { action_add: '', email: 'new@example.org', password: 'typed-in-secret' })
    expect((await ada.post(PAGE, { password: PASSWORD, next: EMAIL })).location).toBe(EMAIL)
    expireReauthentication()
    await ada.post(EMAIL, { action_add: '', email: 'new@example.org' })
    expect((await ada.post(PAGE, { password: PASSWORD, next: '/elsewhere/' })).location).toBe('/elsewhere/')
  })

  it('shows a suspended POST only after reauthentication', async () => {
    const ada = await open()
    expireReauthentication()
    await ada.post(EMAIL, { action_add: '', email: 'new@example.org' })
    const page = await ada.get(`${PAGE}?next=${EMAIL}`)
    expect(page.html).toContain('type="password"')
    expect(page.html).not.toContain('new@example.org')
  })

  it('is skipped for users without a method', async () => {
    world = await authWorld({
      settings: { account: { ...ACCOUNT, signupFields: ['email*'], loginByCodeEnabled: true } },
    })
    await world.addUser({ username: 'Ada', email: 'ada@example.org' })
    const ada = world.visitor()
    await ada.post('/accounts/login/code/', { email: 'ada@example.org' })
    const code = /[A-Z]{4}-[A-Z]{4}/.exec((await world.mailTo('ada@example.org')).text)?.[0] ?? ''
    await ada.post('/accounts/login/code/confirm/', { code })
    expireReauthentication()
    expect((await ada.get(EMAIL)).status).toBe(200)
    expect((await ada.get(PAGE)).status).toBe(403)
  })

  it('redirects anonymous visitors to sign in', async () => {
    await open()
    expect((await world.visitor().get(`${PAGE}?next=/x`)).location).toMatch(/^\/accounts\/login\/\?next=/)
  })
})
