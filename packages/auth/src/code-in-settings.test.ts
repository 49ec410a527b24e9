import { testDatabases } from '@gatepost/sql/testing'
import { describe, expect, it } from 'vitest'
import type { AccountAdapter } from './account/adapter.ts'
import { createAuth } from './auth.ts'
import type { MailMessage } from './kernel/mail/mail.ts'
import { readRefusal } from './kernel/settings/testing/refusal.ts'
import { settingsFromNames } from './kernel/settings/names.ts'
import { resolveSettings } from './kernel/settings/settings.ts'
import type { Visit } from './kernel/visit.ts'
import { authWorld, ORIGIN, type AuthWorld } from './testing/auth-world.ts'
import { ADA, member, signUp } from './testing/effects/effect.ts'
import { visitor } from './testing/visitor.ts'

const openWith = (names: Readonly<Record<string, unknown>>, options: Parameters<typeof authWorld>[0] = {}) =>
  authWorld({ ...options, settings: settingsFromNames(names) })

async function close<R>(world: AuthWorld, result: R): Promise<R> {
  await world.close()
  return result
}

/** An account adapter as a class: a hook of its own, one that calls the default, and state. */
class ClubAdapter {
  readonly #defaults: AccountAdapter
  readonly #home = '/club/'
  constructor(defaults: AccountAdapter) {
    this.#defaults = defaults
  }
  isOpenForSignup(request: Visit): boolean {
    return request.url.searchParams.has('invited')
  }
  getLoginRedirectUrl(request: Visit): string {
    return `${this.#home}?from=${this.#defaults.getLoginRedirectUrl(request)}`
  }
}
const club = {
  home: '/club/',
  isOpenForSignup: ({ url }: Visit): boolean => url.searchParams.has('invited'),
  getLoginRedirectUrl(): string {
    return `${this.home}?from=/accounts/profile/`
  },
}

describe('ACCOUNT_ADAPTER', () => {
  it.each([
    ['a class', ClubAdapter],
    ['an instance', new ClubAdapter({ getLoginRedirectUrl: () => '/accounts/profile/' } as unknown as AccountAdapter)], // the one hook that it calls
    ['an object', club],
    ['a function', () => club],
  ])('can be %s', async (_form, ACCOUNT_ADAPTER) => {
    const world = await openWith({ ACCOUNT_ADAPTER })
    expect((await world.visitor().get('/accounts/signup/')).text).toMatch(/closed/i)
    expect((await world.visitor().get('/accounts/signup/?invited=1')).html).toContain('name="password1"')
    await world.addUser(ADA)
    const { location } = await world.visitor().login(ADA.username, ADA.password)
    expect(await close(world, location)).toBe('/club/?from=/accounts/profile/')
  })

  it('leaves the object of the host as it is', () => {
    resolveSettings(settingsFromNames({ ACCOUNT_ADAPTER: club }))
    expect(Object.isFrozen(club)).toBe(false)
  })

  it.each([
    ['a path of the default one', 'authpkg.account.adapter.DefaultAccountAdapter'],
    ['nothing', null],
  ])('can be %s', (_form, ACCOUNT_ADAPTER) => {
    expect(readRefusal(() => resolveSettings(settingsFromNames({ ACCOUNT_ADAPTER })))).toBe('')
  })

  it.each(['my.adapters.ClubAdapter', ['x'], 7, true])('cannot be %j', (ACCOUNT_ADAPTER) => {
    const sentence = readRefusal(() => settingsFromNames({ ACCOUNT_ADAPTER }))
    expect(sentence).toContain('ACCOUNT_ADAPTER must be a class, or an object of hooks.')
  })

  it('is refused together with the option', async () => {
    const both = openWith({ ACCOUNT_ADAPTER: ClubAdapter }, { adapters: { account: {} } })
    await expect(both).rejects.toThrow('Set either ACCOUNT_ADAPTER or the option adapters.account, not both.')
  })
})

it.each([
  ['a class', class { listProviders = async () => [] }], // biome-ignore format: one line
  ['an object', { listProviders: async () => [] }],
])('SOCIALACCOUNT_ADAPTER can be %s', async (_form, SOCIALACCOUNT_ADAPTER) => {
  const apps = { github: { APP: { client_id: 'id', secret: 'made-up', key: '' } } }
  const names = { SOCIALACCOUNT_ENABLED: true, SOCIALACCOUNT_PROVIDERS: apps }
  const shown = async (world: AuthWorld) => close(world, (await world.visitor().get('/accounts/login/')).html)
  expect(await shown(await openWith(names))).toContain('GitHub')
  expect(await shown(await openWith({ ...names, SOCIALACCOUNT_ADAPTER }))).not.toContain('GitHub')
})

describe.each(testDatabases)('EMAIL_BACKEND on %s', (_name, open) => {
  /** Signs Ada up, and waits until the queue has passed her mail on. @returns what `read` finds then */
  async function signedUp<R>(backend: unknown, read: (outbox: readonly MailMessage[]) => R): Promise<R> {
    const db = await open()
    const auth = await createAuth({
      database: db.database,
      secretKey: 'a made-up key that only tests use, long enough',
      origin: ORIGIN,
      settings: settingsFromNames({ GATEPOST_DEVELOPMENT: true, EMAIL_BACKEND: backend }),
    })
    await signUp(visitor(auth, ORIGIN, {}))
    const waiting = () => auth.kernel.database.db.selectFrom('gatepost_mail').select('id').execute()
    await expect.poll(waiting).toEqual([])
    const result = read(auth.kernel.mail.outbox)
    await auth.close()
    await db.close()
    return result
  }
  const recipients = (mails: readonly MailMessage[]) => mails.map(({ to }) => to)

  it('locmem keeps mail in memory', async () => {
    expect(await signedUp('django.core.mail.backends.locmem.EmailBackend', recipients)).toEqual([ADA.email])
  })

  it('dummy discards it', async () => {
    expect(await signedUp('dummy', recipients)).toEqual([])
  })

  it("an object of the host's own sends it", async () => {
    const own = {
      sent: [] as MailMessage[],
      async send(message: MailMessage) {
        this.sent.push(message)
      },
    }
    expect(await signedUp(own, recipients)).toEqual([])
    expect(recipients(own.sent)).toEqual([ADA.email])
  })

  it.each(['my.mail.Backend', {}, { send: 'x' }, 7])('refuses %j', (EMAIL_BACKEND) => {
    expect(readRefusal(() => settingsFromNames({ EMAIL_BACKEND }))).toContain('EMAIL_BACKEND must be smtp, console')
  })
})

it('signals name the senders of the contract', async () => {
  const world = await authWorld()
  const heard: string[] = []
  for (const name of ['email_added', 'email_confirmed'] as const)
    world.auth.signals.on(name, ({ signal }) => void heard.push(signal), { sender: 'User' })
  const ada = await member(world, { ...ADA, verified: true })
  await ada.post('/accounts/email/', { action_add: '', email: 'second@example.org' })
  const link = /https?:\/\/\S+/.exec((await world.mailTo('second@example.org')).text)?.[0] ?? ''
  await ada.post(new URL(link).pathname)
  expect(await close(world, heard)).toEqual(['email_added', 'email_confirmed'])
})
