import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Visit } from '../kernel/visit.ts'
import { type AuthWorld, authWorld } from '../testing/auth-world.ts'
import type { User } from '../kernel/users/user.ts'
import type { Confirmation, MailContext } from './adapter.ts'
import { ERROR_MESSAGES } from '../kernel/forms/error-messages.ts'

const PASSWORD = 'a made-up pass phrase'
const ADA = { username: 'Ada', email: 'ada@example.org', password: PASSWORD }
const SETTINGS = { account: { loginMethods: ['email'], emailVerification: 'none' } } as const
const CODES = {
  account: { loginMethods: ['email'], loginByCodeEnabled: true, signupFields: ['email*', 'password1*'] },
} as const

let world: AuthWorld
afterEach(() => world.close())

describe('hooks of a host', () => {
  it('can be methods of a class and its base class, and call each other', async () => {
    class Base {
      readonly #home = '/from-a-class/'
      getLoginRedirectUrl(): string {
        return this.#home
      }
    }
    class Hooks extends Base {
      getLogoutRedirectUrl(): string {
        return `${this.getLoginRedirectUrl()}bye/`
      }
    }
    world = await authWorld({ settings: SETTINGS, adapters: { account: new Hooks() } })
    await world.addUser(ADA)
    const ada = world.visitor()
    expect((await ada.login('ada@example.org', PASSWORD)).location).toBe('/from-a-class/')
    expect((await ada.post('/accounts/logout/')).location).toBe('/from-a-class/bye/')
  })

  it('are called by the defaults', async () => {
    const account = {
      getFromEmail: () => 'Ada <hello@example.org>',
      formatEmailSubject: (_: unknown, text: string) => `* ${text}`,
    }
    world = await authWorld({ settings: CODES, adapters: { account } })
    await world.addUser(ADA)
    await world.visitor().post('/accounts/login/code/', { email: 'ada@example.org' })
    expect(await world.mailTo('ada@example.org')).toMatchObject({
      from: 'Ada <hello@example.org>',
      subject: '* Your sign-in code',
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
  })

  it('can call the defaults', async () => {
    world = await authWorld({
      settings: SETTINGS,
      adapters: {
        account: (defaults) => ({
          postLogin: async (request, login) => `${await defaults.postLogin(request, login)}?welcome=1`,
        }),
      },
    })
    await world.addUser(ADA)
    expect((await world.visitor().login('ada@example.org', PASSWORD)).location).toBe('/accounts/profile/?welcome=1')
  })

  it('accepts old hook names, and warns once', async () => {
    const sent: unknown[] = []
    const account = {
      getEmailConfirmationRedirectUrl: () => '/old-way/',
      sendMailToUsers: async (templatePrefix: string, context: MailContext, users: readonly User[]) =>
        void sent.push([templatePrefix, context['email'], users.map(({ username }) => username)]),
    }
    world = await authWorld({
      settings: { account: { ...CODES.account, confirmEmailOnGet: true } },
      adapters: { account },
    })
    const user = await world.addUser({ ...ADA, verified: false })
    for (const email of ['ada@example.org', 'bob@example.org']) {
      await world.visitor().post('/accounts/login/code/', { email })
    }
    expect(sent).toEqual([
      ['account/email/login_code', 'ada@example.org', ['Ada']],
      ['account/email/unknown_account', 'bob@example.org', []],
    ])
    const { auth } = world
    const [address] = await auth.account.emails.ofUser(auth.kernel.database.db, user.id)
    const key = auth.kernel.signer.sign(address?.id, 'account', world.clock.now())
    expect((await world.visitor().get(`/accounts/confirm-email/${key}/`)).location).toBe('/old-way/')
    expect(world.logged.map(({ message }) => message)).toEqual([
      'The adapter has getEmailConfirmationRedirectUrl, an old form of getEmailVerificationRedirectUrl',
      'The adapter has sendMailToUsers, an old form of sendMail',
    ])
  })
})

describe('mails', () => {
  /** Runs `work` in the request of an anonymous visitor. */
  async function inRequest(
    settings: NonNullable<Parameters<typeof authWorld>[0]>['settings'],
    work: (request: Visit, user: User) => Promise<void>,
  ): Promise<void> {
    const done: unknown[] = []
    world = await authWorld({
      settings: settings ?? {},
      pages: () => [
        {
          name: 'run',
          path: '/run/',
          access: 'anon',
          async GET(request) {
            const user = await world.auth.kernel.users.byUsername(request.db, 'Ada')
            if (user !== null) await work(request, user)
            done.push(user?.username)
            return { kind: 'response', response: new Response('done') }
          },
        },
      ],
    })
    await world.addUser(ADA)
    await world.visitor({ userAgent: 'Browser <b>\u0007', language: 'de' }).get('/run/')
    expect([done, world.logged]).toEqual([['Ada'], []])
  }

  it('mail notifications only if enabled, with the IP address of the request', async () => {
    const notify = (request: Visit, user: User): Promise<void> =>
      world.auth.account.adapter.sendNotificationMail(request, 'account/email/password_changed', user)
    await inRequest({}, notify)
    expect(await world.mails()).toEqual([])
    await world.close()
    await inRequest({ account: { emailNotifications: true } }, notify)
    const mail = await world.mailTo('ada@example.org')
    expect(mail.text).toContain('192.0.2.1')
    expect(mail.text).toContain('Browser <b>')
    expect(mail.text).not.toContain('\u0007')
    expect(mail.html).toContain('Browser &lt;b&gt;')
    expect(mail.text).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/)
  })

  it('queued in a transaction are sent only if it commits', async () => {
    await inRequest({ account: { emailNotifications: true } }, async (request, user) => {
      const { adapter } = world.auth.account
      const undone = request.transaction(async () => {
        await adapter.sendNotificationMail(request, 'account/email/password_changed', user)
        throw new Error('undone')
      })
      await expect(undone).rejects.toThrow('undone')
      await request.transaction(() => adapter.sendNotificationMail(request, 'account/email/password_set', user))
    })
    expect((await world.mails()).map(({ subject }) => subject)).toHaveLength(1)
  })

  it('ask to confirm an address by link or code, with another text after a sign-up', async () => {
    await inRequest({ account: { emailSubjectPrefix: '' } }, async (request, user) => {
      const { adapter } = world.auth.account
      const known = { ...user, lastLoginMs: 1 }
      const base: Confirmation = { emailAddress: null, email: 'new@example.org', user: known, key: null, code: null }
      await adapter.sendConfirmationMail(request, { ...base, key: 'the-key' }, false)
      await adapter.sendConfirmationMail(request, { ...base, code: 'WDJB-MJHT' }, true)
      await adapter.sendAccountAlreadyExistsMail(request, 'new@example.org')
    })
    const [link, code, exists] = await world.mails()
    expect(link?.text).toContain('http://auth.test/accounts/confirm-email/the-key/')
    expect(code?.text).toContain('WDJB-MJHT')
    expect(code?.subject).not.toBe(link?.subject)
    expect(exists?.text).toContain('http://auth.test/accounts/password/reset/')
  })

  it('have one-line subjects, whatever the name of the site', async () => {
    await inRequest({}, async (request) => {
      const { adapter } = world.auth.account
      const named = { ...request, site: { domain: 'x', name: 'A\r\nBcc: eve@example.org' } }
      await adapter.sendMail(named, 'account/email/login_code', 'ada@example.org', { code: 'X' })
    })
    expect((await world.mailTo('ada@example.org')).subject).not.toMatch(/[\r\n]/)
  })
})

it('has a message for every code in the sources', async () => {
  world = await authWorld()
  const folder = join(import.meta.dirname)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!\.test)\.ts$/.test(name),
  )
  const named = files.flatMap((name) => {
    const source = readFileSync(join(folder, name), 'utf8')
    return [...source.matchAll(/(?:validationError|wrong|refuse)\(\s*'([a-z_]+)'/g)].map(([, code = '']) => code)
  })
  expect(named.length).toBeGreaterThan(10)
  expect([...new Set(named)].filter((code) => !(code in ERROR_MESSAGES))).toEqual([])
})
