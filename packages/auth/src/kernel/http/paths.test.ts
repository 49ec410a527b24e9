import { expect, it } from 'vitest'
import { authWorld } from '../../testing/auth-world.ts'

it('leaves all other paths to the host, even below the mount point', async () => {
  const { auth, close } = await authWorld()
  const ours = [
    '/accounts/login/',
    '/accounts/login',
    '/accounts/',
    '/accounts',
    '/accounts/assets/auth.css',
    '/accounts/password/reset/key/1-set-password/',
  ]
  const hosts = [
    '/',
    '/accounts/profile/',
    '/accountsx/',
    '/accounts/login/x/',
    '//accounts/login/',
    '/ACCOUNTS/login/',
    '/accounts/%6cogin/',
  ]
  expect(ours.filter((path) => !auth.handles(path))).toEqual([])
  expect(hosts.filter((path) => auth.handles(path))).toEqual([])
  await close()
})

it('leaves the front page to the host when it is mounted at the root', async () => {
  const { auth, close } = await authWorld({ settings: { pathPrefix: '/' } })
  expect([auth.handles('/'), auth.handles('/login/'), auth.handles('/assets/auth.css')]).toEqual([false, true, true])
  await close()
})

it('leads from the mount point to where a visitor wants to be', async () => {
  const world = await authWorld()
  await world.addUser({ username: 'ada', email: 'ada@example.org', password: 'a lighthouse keeper' })
  const visitor = world.visitor()
  expect((await visitor.get('/accounts')).location).toBe('/accounts/')
  expect((await visitor.get('/accounts/')).location).toBe('/accounts/login/')
  await visitor.login('ada', 'a lighthouse keeper')
  expect((await visitor.get('/accounts/')).location).toBe('/accounts/email/')
  await world.close()
})
