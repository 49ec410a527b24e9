import { afterEach, expect, it } from 'vitest'
import { type AccountsWorld, accountsWorld, PASSWORD } from '../testing/accounts-world.ts'

/** A gateway without pages of accounts: they are those of a front end. */
const HEADLESS_ONLY = {
  HEADLESS_ONLY: 'true',
  HEADLESS_FRONTEND_URLS: JSON.stringify({
    account_confirm_email: '/verify/{key}',
    account_reset_password_from_key: '/reset/{key}',
    account_signup: '/join',
  }),
}

let world: AccountsWorld
afterEach(() => world[Symbol.asyncDispose]())

it('leads from an invitation to the front end, and from a mail of its own to a page that is there', async () => {
  world = await accountsWorld(HEADLESS_ONLY)
  const { url, firstAccountUrl, accounts } = world.gateway()
  const browser = world.browser()
  expect((await browser.get(String(firstAccountUrl))).location).toBe(`${url}/join`)
  await browser.get('/_allauth/browser/v1/config')
  const given = { email: 'ann@example.org', password: PASSWORD }
  expect((await browser.call('POST', '/_allauth/browser/v1/auth/signup', given)).status).toBe(200)
  const { authenticators } = accounts.auth.module('mfa')
  const row = { userId: 1, type: 'totp', data: { secret: 'x' }, createdAtMs: 1 } as const
  await authenticators.insert(accounts.auth.kernel.database.db, row)
  expect((await world.ask('DELETE', '/api/accounts/owner/authenticators')).status).toBe(200)
  const mail = await world.mailTo('ann@example.org')
  const [, link = ''] = /^(http\S+)$/m.exec(mail.text) ?? []
  const opened = await browser.get(link)
  // the console leads whoever is signed out to the front end
  expect([mail.subject, opened.status, opened.location]).toEqual([
    '[Gatepost] Two-factor authentication has been reset',
    302,
    'console/',
  ])
})
