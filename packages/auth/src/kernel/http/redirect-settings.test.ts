import { expect, it } from 'vitest'
import { authWorld } from '../../testing/auth-world.ts'

it.each([
  [{ loginRedirectUrl: 'home' }, 'LOGIN_REDIRECT_URL'],
  [{ loginRedirectUrl: 'users:redirect' }, 'LOGIN_REDIRECT_URL'],
  [{ account: { logoutRedirectUrl: 'home' } }, 'ACCOUNT_LOGOUT_REDIRECT_URL'],
  [{ logoutRedirectUrl: 'home' }, 'ACCOUNT_LOGOUT_REDIRECT_URL'],
])('a page of another framework is rejected at startup: %j', async (settings, name) => {
  await expect(authWorld({ settings })).rejects.toMatchObject({
    code: 'settings_invalid',
    message: expect.stringContaining(`${name} isn't the name of a page`),
  })
})

it.each(['account_email', '/home/', 'https://www.example.org/'])('%s is where a login leads', async (target) => {
  const world = await authWorld({ settings: { loginRedirectUrl: target } })
  await world.addUser({ username: 'ann', password: 'pw-of-ann-1' })
  const { location } = await world.visitor().login('ann', 'pw-of-ann-1')
  expect(location).toBe(target === 'account_email' ? '/accounts/email/' : target)
  await world.close()
})
