import { afterEach, describe, expect, it } from 'vitest'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'
import { observableVisit } from '../../testing/same-visit.ts'
import type { Visited, Visitor } from '../../testing/visitor.ts'

const SIGNUP = '/accounts/signup/'
const CONFIRM = '/accounts/confirm-email/'
const PASSWORD = 'a made-up pass phrase'
const KNOWN = 'ada@example.org'
const UNKNOWN = 'eve@example.org'

type Settings = NonNullable<NonNullable<Parameters<typeof authWorld>[0]>['settings']>
type Account = NonNullable<Settings['account']>
type Prevention = boolean | 'strict'

let world: AuthWorld
const open = async (account: Account, verified = true): Promise<void> => {
  world = await authWorld({
    settings: { account: { loginMethods: ['email'], signupFields: ['email*', 'password1*'], ...account } },
  })
  await world.addUser({ username: 'Ada', email: KNOWN, password: 'her own made-up phrase', verified })
}
afterEach(() => world.close())

const LINK = { emailVerification: 'mandatory' } as const
const CODE = { ...LINK, emailVerificationByCodeEnabled: true } as const
const userCount = async (): Promise<number> =>
  (await world.auth.kernel.users.list(world.auth.kernel.database.db, { limit: 100, after: null })).length

/** Returns everything that a visitor sees of a sign-up, page by page, with the typed address replaced by X. */
async function journey(email: string): Promise<readonly unknown[]> {
  const visitor = world.visitor()
  await visitor.get(SIGNUP)
  const pages = [await visitor.post(SIGNUP, { email, password1: PASSWORD })]
  pages.push(await visitor.follow(pages[0] ?? throwUnexpectedPage()))
  pages.push(await visitor.get(SIGNUP), await visitor.get('/accounts/login/'), await visitor.get(CONFIRM))
  return [...pages.map((page) => anonymous(page, email)), [...visitor.cookies.keys()].toSorted()]
}

const anonymous = (page: Visited, email: string): unknown =>
  JSON.parse(JSON.stringify(observableVisit(page)).replaceAll(email, 'X'))

const throwUnexpectedPage = (): never => {
  throw new Error('there is no page')
}

describe('signing up with an address that is in use', () => {
  it.each([
    ['by link', true, LINK],
    ['by code', true, CODE],
    [
      'by code with every offer',
      true,
      { ...CODE, emailVerificationSupportsChange: true, emailVerificationSupportsResend: true },
    ],
    ['by link', 'strict', LINK],
    ['by code', 'strict', CODE],
  ] as const)('looks as with a free one, verification %s, prevention %s', async (_why, preventEnumeration, account) => {
    await open({ ...account, preventEnumeration })
    const [free, taken] = [await journey(UNKNOWN), await journey(KNOWN)]
    expect(taken).toEqual(free)
    expect(await userCount()).toBe(2)
    expect((await world.mailTo(KNOWN)).subject).toContain('account')
    expect((await world.mailTo(KNOWN)).text).toContain('/accounts/password/reset/')
    expect((await world.mailTo(UNKNOWN)).text).not.toContain('/accounts/password/reset/')
  })

  it('computes one hash, as with a free one', async () => {
    await open(LINK)
    const { passwords } = world.auth.kernel
    const { hash } = passwords
    let hashes = 0
    Object.assign(passwords, { hash: (text: string) => (hashes++, hash(text)) })
    await journey(UNKNOWN)
    const free = hashes
    await journey(KNOWN)
    expect([free, hashes - free]).toEqual([1, 1])
  })

  it('looks the same if retried right away', async () => {
    for (const account of [LINK, CODE]) {
      await open(account)
      const again = async (email: string): Promise<unknown> => [
        await journey(email),
        (await journey(email)).slice(0, 2),
      ]
      expect(await again(KNOWN)).toEqual(await again(UNKNOWN))
      expect((await world.mails()).filter(({ to }) => to === KNOWN)).toHaveLength(1)
      await world.close()
    }
    await open(LINK)
  })

  it('counts as in use however it is written, unverified or mirrored, active or not', async () => {
    await open(LINK, false)
    const { auth } = world
    await auth.kernel.users.insert(
      auth.kernel.database.db,
      { username: 'm', email: 'mirror@example.org', isActive: false },
      '!',
      0,
    )
    for (const email of ['ADA@EXAMPLE.ORG', 'mirror@example.org', 'ada@ｅxample.org']) await journey(email)
    expect(await userCount()).toBe(2)
  })

  it('mails the owner at the stored address, not at a lookalike', async () => {
    await open(LINK)
    await world.visitor().post(SIGNUP, { email: 'ada@ｅxample.org', password1: PASSWORD })
    expect((await world.mails()).map(({ to }) => to)).toEqual([KNOWN])
  })

  it.each<[Prevention, Account['emailVerification']]>([
    [true, 'optional'],
    [true, 'none'],
    [false, 'mandatory'],
    [false, 'optional'],
    [false, 'none'],
  ])('is refused with prevention %s and verification %s', async (preventEnumeration, emailVerification = 'none') => {
    await open({ preventEnumeration, emailVerification })
    const answer = await world.visitor().post(SIGNUP, { email: KNOWN, password1: PASSWORD })
    expect(answer.status).toBe(200)
    expect(answer.text).toContain('An account with this email address already exists.')
    expect(await userCount()).toBe(1)
    expect(await world.mails()).toEqual([])
  })

  it.each(['optional', 'none'] as const)(
    'makes a second account, strictly, with verification %s',
    async (emailVerification) => {
      await open({ preventEnumeration: 'strict', emailVerification })
      const second = world.visitor()
      await second.post(SIGNUP, { email: KNOWN, password1: PASSWORD })
      expect(await second.whoami()).not.toBeNull()
      expect(await userCount()).toBe(2)
      const { auth } = world
      expect(await auth.account.emails.ofUser(auth.kernel.database.db, 2)).toMatchObject([
        { email: KNOWN, verified: false, primary: true },
      ])
      const mail = (await world.mails())[0]
      if (mail === undefined) return
      const [path = ''] = /\/accounts\/confirm-email\/\S+/.exec(mail.text) ?? []
      const answer = await second.post(path)
      expect(answer.text).toContain("Couldn't verify this email address")
    },
  )

  it('is no conflict where addresses need not be unique', async () => {
    await open({ uniqueEmail: false, emailVerification: 'none', loginMethods: ['username'] })
    const second = world.visitor()
    await second.post(SIGNUP, { email: KNOWN, password1: PASSWORD })
    expect(await second.whoami()).toMatch(/^ada\d+$/)
    expect(await userCount()).toBe(2)
  })
})

describe('a login without a user', () => {
  const OFFERS = { ...CODE, emailVerificationSupportsChange: true, emailVerificationSupportsResend: true } as const

  /** Returns what a visitor sees who runs `steps` after signing up. */
  async function after(email: string, steps: (visitor: Visitor) => Promise<readonly Visited[]>): Promise<unknown> {
    const visitor = world.visitor()
    await visitor.get(SIGNUP)
    await visitor.follow(await visitor.post(SIGNUP, { email, password1: PASSWORD }))
    world.clock.advance(60_000)
    return (await steps(visitor)).map((page) => anonymous(page, email))
  }

  it.each<[string, (visitor: Visitor) => Promise<readonly Visited[]>]>([
    [
      'wrong codes up to the last',
      async (visitor) => [
        await visitor.post(CONFIRM, { code: 'BCDF-GHJK' }),
        await visitor.post(CONFIRM, { code: '' }),
        await visitor.post(CONFIRM, { code: 'x'.repeat(99) }),
        await visitor.follow(await visitor.post(CONFIRM, { code: 'BCDF-GHJL' })),
        await visitor.get(CONFIRM),
      ],
    ],
    [
      'other codes up to the quota',
      async (visitor) => {
        const pages = []
        for (let count = 0; count < 3; count++) {
          pages.push(await visitor.follow(await visitor.post(CONFIRM, { action: 'resend' })))
          world.clock.advance(60_000)
        }
        return pages
      },
    ],
    [
      'another code too soon',
      async (visitor) => {
        await visitor.post(CONFIRM, { action: 'resend' })
        return [await visitor.follow(await visitor.post(CONFIRM, { action: 'resend' }))]
      },
    ],
    [
      'no address in place of the address',
      async (visitor) => [await visitor.post(CONFIRM, { action: 'change', email: 'nothing' })],
    ],
  ])('cannot be told from one of somebody by %s', async (_why, steps) => {
    await open(OFFERS)
    const free = await after(UNKNOWN, steps)
    world.clock.advance(600_000)
    expect(await after(KNOWN, steps)).toEqual(free)
  })

  it('changes the address like any other; an unknown one gets a sign-up mail', async () => {
    await open(OFFERS)
    const change = (to: string) => async (visitor: Visitor) => [
      await visitor.follow(await visitor.post(CONFIRM, { action: 'change', email: to })),
    ]
    const real = await after(UNKNOWN, change('new1@example.org'))
    const fake = await after(KNOWN, change('new2@example.org'))
    expect(JSON.stringify(fake).replaceAll('new2', 'new1')).toEqual(JSON.stringify(real))
    expect((await world.mailTo('new2@example.org')).text).toContain(SIGNUP)
    expect((await world.mailTo('new1@example.org')).text).toMatch(/[B-Z]{4}-[B-Z]{4}/)
  })
})
