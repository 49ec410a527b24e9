import { afterEach, expect, it, vi } from 'vitest'
import { withColour } from '../../testing/coloured-form.ts'
import { ENTRANCE, NEXT } from '../../testing/page-contexts.ts'
import { GRACE, type SocialWorld, socialWorld } from '../../testing/social-world.ts'

const CONNECTIONS = '/accounts/3rdparty/'
const SIGNUP = '/accounts/3rdparty/signup/'

let world: SocialWorld
afterEach(() => world.close())

it('the sign-up form of a host: more fields, more rules, another save', async () => {
  const kept: unknown[] = []
  world = await socialWorld({
    settings: { socialaccount: { emailRequired: true } },
    forms: withColour('socialaccount_signup', kept),
  })
  world.emulator.signIn({ ...GRACE, email: null })
  const grace = world.visitor()
  await world.through(grace, 'github')
  expect((await grace.get(SIGNUP)).html).toContain('name="colour"')
  const fields = { username: 'grace', email: GRACE.email ?? '' }
  expect((await grace.post(SIGNUP, fields)).text).toContain('Favourite colour This field is required.')
  expect((await grace.post(SIGNUP, { ...fields, colour: 'grey' })).text).toContain('Grey is no colour.')
  expect([await grace.whoami(), kept]).toEqual([null, []])
  const done = await grace.post(SIGNUP, { ...fields, colour: ' green ' })
  expect([done.status, await grace.whoami(), kept]).toEqual([302, 'grace', ['green']])
})

it('the disconnect form of a host', async () => {
  const kept: unknown[] = []
  world = await socialWorld({ forms: withColour('disconnect', kept) })
  const grace = world.visitor()
  await world.through(grace, 'github')
  await world.through(grace, 'google', { process: 'connect' })
  const page = await grace.get(CONNECTIONS)
  expect(page.html.match(/name="colour"/g)).toHaveLength(1)
  const account = /name="account" value="(\d+)"/.exec(page.html)?.[1] ?? ''
  expect((await grace.post(CONNECTIONS, { account })).text).toContain('This field is required.')
  expect((await grace.post(CONNECTIONS, { account, colour: 'grey' })).text).toContain('Grey is no colour.')
  expect(kept).toEqual([])
  const done = await grace.post(CONNECTIONS, { account, colour: 'green' })
  expect([done.status, kept]).toEqual([302, ['green']])
  expect((await grace.get(CONNECTIONS)).html).not.toContain(`value="${account}"`)
})

/** Variables by template, in addition to those of every page. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  'account/login': ['get_providers', 'provider_login_url', 'get_social_accounts', 'providers_media_js'],
  'socialaccount/login': ['provider', 'process'],
  'socialaccount/login_redirect': ['provider', 'redirect_to'],
  'socialaccount/login_cancelled': ENTRANCE,
  'socialaccount/authentication_error': [...ENTRANCE, 'auth_error'],
  'socialaccount/signup': [...ENTRANCE, ...NEXT, 'form', 'account'],
  'socialaccount/connections': ['form'],
  'telegram/callback': ['provider'],
  'dummy/authenticate_form': ['form', 'action_url'],
  'openid/login': ['form'],
}

it("templates get the reference's variables", async () => {
  world = await socialWorld({
    settings: { socialaccount: { emailRequired: true } },
    adapters: {},
  })
  const known = new Map<string, ReadonlySet<string>>()
  const { templates } = world.auth.kernel
  const render = templates.page
  vi.spyOn(templates, 'page').mockImplementation((name, context, t) => {
    known.set(name, new Set(Object.keys(context)))
    return render.call(templates, name, context, t)
  })
  world.emulator.signIn({ ...GRACE, email: null })
  const grace = world.visitor()
  await grace.get('/accounts/login/')
  await grace.get('/accounts/github/login/')
  await grace.post('/accounts/github/login/', {}, { accept: 'text/html' })
  await grace.get('/accounts/telegram/login/callback/')
  await grace.get('/accounts/3rdparty/login/cancelled/')
  await grace.get('/accounts/github/login/callback/?code=x&state=y')
  await world.through(grace, 'github')
  await grace.get(SIGNUP)
  await grace.post(SIGNUP, { username: 'grace', email: GRACE.email ?? '' })
  await grace.get(CONNECTIONS)
  await grace.get((await grace.post('/accounts/dummy/login/?process=connect')).location ?? '')
  await grace.get('/accounts/openid/login/')
  const always = ['request', 'user', 'messages', 'csrf_token', 'user_verified']
  const missing = Object.entries(PAGES).flatMap(([name, wanted]) =>
    [...always, ...wanted].filter((key) => known.get(name)?.has(key) !== true).map((key) => `${name}: ${key}`),
  )
  expect(missing).toEqual([])
})
