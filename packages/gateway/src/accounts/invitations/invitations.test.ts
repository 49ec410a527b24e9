import { type TestDatabase, testDatabases } from '@gatepost/sql/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AccountsWorld, accountsWorld, PASSWORD, signUp } from '../../testing/accounts-world.ts'

const HOUR_MS = 3_600_000
const form = { email: 'ann@example.org', password1: PASSWORD, password2: PASSWORD }

describe.each(testDatabases)('accounts on %s', (_name, open) => {
  let world: AccountsWorld
  let database: TestDatabase<object>
  /** SQLite in the data folder, as without any setting, or the PostgreSQL of the test. */
  /** On PostgreSQL, two services share the database and its key. */
  const settings = (): Readonly<Record<string, string>> =>
    database.options.url === undefined
      ? {}
      : { GATEPOST_DATABASE_URL: database.options.url, GATEPOST_SECRET_KEY: 'c2FtcGxl'.repeat(5) + 'c2E=' }
  beforeEach(async () => {
    database = await open<object>()
    world = await accountsWorld(settings())
  })
  afterEach(async () => {
    await world[Symbol.asyncDispose]()
    await database.close()
  })

  const firstUrl = (): string => String(world.gateway().firstAccountUrl)

  describe('the link of the first start', () => {
    it('creates an account of staff, whose channels are those of the owner token', async () => {
      const ann = await world.first()
      expect((await ann.get('/api/me')).json()).toMatchObject({
        account: 'owner',
        kind: 'session',
        scopes: expect.arrayContaining(['admin']),
        user: { email: 'ann@example.org', staff: true },
      })
      await world.restart()
      expect(world.gateway().firstAccountUrl).toBeNull()
    })

    it('is in no address, and so in no Referer, after it was opened', async () => {
      const browser = world.browser()
      const opened = await browser.get(firstUrl())
      const token = firstUrl().split('/').at(-2) ?? ''
      expect([opened.status, opened.location]).toEqual([302, '/accounts/signup/'])
      expect(opened.headers.get('cache-control')).toContain('no-store')
      const page = await browser.get('/accounts/signup/')
      expect(page.status).toBe(200)
      expect(page.text + [...browser.cookies.values()].join() + JSON.stringify(world.lines)).not.toContain(token)
    })

    it('works once', async () => {
      await world.first()
      const late = await world.browser().get(firstUrl())
      expect([late.status, late.text]).toEqual([404, expect.stringContaining('This invitation is no longer valid')])
    })

    it('gives one account to two people who use it at once', async () => {
      const people = [world.browser(), world.browser()]
      for (const person of people) await person.get(firstUrl())
      const outcomes = await Promise.all(
        people.map((person, index) => person.submit('/accounts/signup/', { ...form, email: `p${index}@example.org` })),
      )
      expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set([200, 302]))
      expect(outcomes.find(({ status }) => status === 200)?.text).toContain('This invitation is no longer valid.')
      const { body } = await world.ask('GET', '/api/accounts')
      expect(body).toMatchObject({ items: [{ id: 'owner', user: { staff: true } }], next: null })
    })

    it('is over after a day, and replaced by the one of the next start', async () => {
      const old = new URL(firstUrl()).pathname
      await world.restart()
      expect((await world.browser().get(old)).status).toBe(404)
      world.advance(24 * HOUR_MS)
      expect((await world.browser().get(firstUrl())).status).toBe(404)
    })

    it('is over also for who has opened it in time', async () => {
      const browser = world.browser()
      await browser.get(firstUrl())
      world.advance(25 * HOUR_MS)
      const closed = await browser.submit('/accounts/signup/', form)
      expect(closed.text).toContain('Sign-up is closed')
    })
  })

  describe('sign-up without an invitation', () => {
    it('is closed', async () => {
      const browser = world.browser()
      expect((await browser.get('/accounts/signup/')).text).toContain('Sign-up is closed')
      expect((await browser.submit('/accounts/signup/', form)).text).toContain('Sign-up is closed')
      expect((await world.ask('GET', '/api/accounts')).body).toEqual({
        items: [{ id: 'owner', user: null, second_factors: [] }],
        next: null,
      })
    })

    it('may be opened, but not before the first account is there', async () => {
      const open = { GATEPOST_SIGNUP: 'open', ACCOUNT_EMAIL_VERIFICATION: 'optional' }
      await using everybody = await accountsWorld({ ...settings(), ...open })
      const early = await everybody.browser().submit('/accounts/signup/', form)
      expect(early.text).toContain('Sign-up is closed')
      await everybody.first()
      const bo = everybody.browser()
      expect((await bo.submit('/accounts/signup/', { ...form, email: 'bo@example.org' })).location).toBe(
        '/console/welcome',
      )
      expect((await bo.get('/api/me')).json()).toMatchObject({ account: 'u2', user: { staff: false } })
    })
  })

  describe('an invitation', () => {
    it("creates an account that is nobody else's and not of staff", async () => {
      await world.first()
      const bo = await world.invited('bo@example.org')
      expect((await bo.get('/api/me')).json()).toMatchObject({
        account: 'u2',
        scopes: ['channels:read', 'channels:write', 'channels:send', 'account'],
        user: { staff: false },
      })
      const cy = await world.invited('cy@example.org', true)
      expect((await cy.get('/api/me')).json()).toMatchObject({ account: 'u3', user: { staff: true } })
    })

    it('is not made before the first account is there, which it would take the place of', async () => {
      const early = await world.ask('POST', '/api/invitations', { body: { staff: true } })
      expect([early.status, early.body]).toMatchObject([409, { code: 'no_first_account' }])
      await world.restart()
      await world.first()
      expect((await world.ask('POST', '/api/invitations', { body: {} })).status).toBe(200)
    })

    it('is mailed, and proves the address', async () => {
      const ann = await world.first()
      const made = await ann.call('POST', '/api/invitations', { email: 'Bo@Example.org' })
      expect([made.status, made.json()]).toMatchObject([
        200,
        { email: 'bo@example.org', staff: false, created_by: '1' },
      ])
      const mail = await world.mailTo('bo@example.org')
      const link = /http\S+/.exec(mail.text)?.[0] ?? ''
      expect(made.json()).toMatchObject({ url: link })
      expect([mail.subject, mail.html]).toEqual([
        "[Gatepost] You're invited to Gatepost",
        expect.stringContaining(link),
      ])
      const bo = world.browser()
      await bo.get(link)
      expect((await bo.get('/accounts/signup/')).text).toContain('value="bo@example.org"')
      await bo.submit('/accounts/signup/', { ...form, email: 'bo@example.org' })
      expect((await bo.get('/accounts/email/')).text).toMatch(/Verified/)
    })

    it('is listed without its link until it is taken back', async () => {
      await world.first()
      const { body } = await world.ask('POST', '/api/invitations', { body: {} })
      const listed = await world.ask('GET', '/api/invitations')
      expect(listed.body).toMatchObject({ invitations: [{ id: body['id'], email: null, created_by: 'owner' }] })
      expect(JSON.stringify(listed)).not.toContain('/invitation/')
      expect((await world.ask('DELETE', `/api/invitations/${String(body['id'])}`)).status).toBe(200)
      expect((await world.ask('DELETE', `/api/invitations/${String(body['id'])}`)).body).toMatchObject({
        code: 'unknown_invitation',
      })
      expect((await world.browser().get(String(body['url']))).status).toBe(404)
    })

    it('is not for who is signed in already', async () => {
      const ann = await world.first()
      const { body } = await world.ask('POST', '/api/invitations')
      const page = await ann.get(String(body['url']))
      expect([page.status, page.text]).toEqual([200, expect.stringContaining('You already have an account')])
      await signUp(world.browser(), String(body['url']), 'bo@example.org')
    })

    it('speaks the language of the visitor', async () => {
      const page = await world.browser().get('/accounts/invitation/x/', { 'accept-language': 'de' })
      expect(page.text).toContain('Diese Einladung ist nicht mehr gültig')
    })

    it.each(['x', 'a'.repeat(43), '%00', '..%2f', encodeURIComponent('"><script>'), 'é'])(
      'with the key %s leads nowhere',
      async (key) => {
        const page = await world.browser().get(`/accounts/invitation/${key}/`)
        expect([page.status, page.text]).toEqual([404, expect.stringContaining('This invitation is no longer valid')])
      },
    )
  })
})
