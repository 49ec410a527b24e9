import { afterEach, expect, it } from 'vitest'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'
import type { Visitor } from '../../testing/visitor.ts'

const PAGE = '/accounts/logout/'
const PASSWORD = 'a made-up phrase'

let world: AuthWorld
const open = async (account: object = {}): Promise<Visitor> => {
  world = await authWorld({ settings: { account: { emailVerification: 'none', ...account } } })
  await world.addUser({ username: 'Ada', email: 'ada@example.org', password: PASSWORD })
  const ada = world.visitor()
  await ada.login('Ada', PASSWORD)
  return ada
}
afterEach(() => world.close())

it('asks for confirmation, then ends the session everywhere', async () => {
  const ada = await open()
  const told: string[] = []
  world.auth.signals.on('user_logged_out', ({ user, sender }) => void told.push(`${sender} ${user.username}`))
  expect((await ada.get(PAGE)).text).toContain('Sign out on this device?')
  expect(await ada.whoami()).toBe('Ada')
  const stolen = world.visitor()
  for (const [name, value] of ada.cookies) stolen.cookies.set(name, value)
  const answer = await ada.post(PAGE)
  expect([answer.status, answer.location]).toEqual([302, '/'])
  expect([await ada.whoami(), await stolen.whoami(), told]).toEqual([null, null, ['User Ada']])
  expect((await ada.get('/accounts/login/')).text).toContain("You've signed out.")
})

it('requires a CSRF token', async () => {
  const ada = await open()
  expect((await ada.post(PAGE, { csrfmiddlewaretoken: 'x' })).status).toBe(403)
  expect(await ada.whoami()).toBe('Ada')
})

it.each([
  ['/bye', '/bye'],
  ['//evil.example', '/'],
])('leads to next when it is safe: %s', async (next, location) => {
  const ada = await open()
  expect((await ada.post(PAGE, { next })).location).toBe(location)
})

it('happens on GET if the settings allow it', async () => {
  const ada = await open({ logoutOnGet: true, logoutRedirectUrl: 'account_login' })
  expect((await ada.get(PAGE)).location).toBe('/accounts/login/')
  expect(await ada.whoami()).toBeNull()
})

it('redirects anonymous visitors', async () => {
  await open()
  const stranger = world.visitor()
  expect((await stranger.get(PAGE)).location).toBe('/')
  expect((await stranger.post(PAGE)).location).toBe('/')
})
