import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import type { AccountAdapterOverrides } from '../adapter.ts'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'
import { observableVisit } from '../../testing/same-visit.ts'
import type { Visited, Visitor } from '../../testing/visitor.ts'

const SIGNUP = '/accounts/signup/'
const VERIFY = '/accounts/phone/verify/'
const CHANGE = '/accounts/phone/change/'
const PASSWORD = 'a made-up pass phrase'
const ADA = '+31612345678'
const BOB = '+31687654321'

type Options = NonNullable<Parameters<typeof authWorld>[0]>
type Account = NonNullable<NonNullable<Options['settings']>['account']>
const BASE = {
  loginMethods: ['phone'],
  signupFields: ['phone*', 'password1*'],
  emailVerification: 'none',
} as const

let world: AuthWorld
let texts: { readonly kind: string; readonly phone: string; readonly code?: string }[] = []
const open = async (
  account: Account = {},
  more: AccountAdapterOverrides = {},
  database?: (typeof testDatabases)[number][1],
): Promise<void> => {
  texts = []
  world = await authWorld(
    {
      settings: { account: { ...BASE, ...account } },
      adapters: {
        account: {
          sendVerificationCodeSms: async (_request, _user, phone, code) =>
            void texts.push({ kind: 'code', phone, code }),
          sendAccountAlreadyExistsSms: async (_request, phone) => void texts.push({ kind: 'exists', phone }),
          ...more,
        },
      },
    },
    database,
  )
}
afterEach(() => world.close())

const code = (): string => texts.findLast(({ kind }) => kind === 'code')?.code ?? ''
const loadPhone = (id: number): Promise<unknown> => world.auth.account.phones.ofUser(world.auth.kernel.database.db, id)
const signUp = async (phone = ADA): Promise<Visitor> => {
  const visitor = world.visitor()
  await visitor.get(SIGNUP)
  await visitor.follow(await visitor.post(SIGNUP, { phone, password1: PASSWORD }))
  return visitor
}
const member = async (phone = ADA): Promise<Visitor> => {
  const visitor = await signUp(phone)
  await visitor.post(VERIFY, { code: code() })
  world.clock.advance(61_000)
  return visitor
}

describe('a phone at sign-up', () => {
  it('is verified by a code, even if typed with spaces', async () => {
    await open()
    const visitor = world.visitor()
    const answer = await visitor.post(SIGNUP, { phone: '+31 6 12-34-56-78', password1: PASSWORD })
    expect(answer.location).toBe(VERIFY)
    expect((await visitor.get(VERIFY)).text).toContain(ADA)
    expect(texts).toMatchObject([{ kind: 'code', phone: ADA }])
    expect(await loadPhone(1)).toEqual({ phone: ADA, verified: false })
    expect((await visitor.post(VERIFY, { code: code() })).location).toBe('/accounts/profile/')
    expect(await visitor.whoami()).not.toBeNull()
    expect(await loadPhone(1)).toEqual({ phone: ADA, verified: true })
  })

  it('is refused in other formats', async () => {
    await open()
    const answer = await world.visitor().post(SIGNUP, { phone: '0612345678', password1: PASSWORD })
    expect(answer.text).toContain('with a plus sign')
  })

  it('ends after three wrong codes, and with it the login', async () => {
    await open()
    const visitor = await signUp()
    for (const wrong of ['1', '2'])
      expect((await visitor.post(VERIFY, { code: wrong })).text).toContain('Incorrect code.')
    expect((await visitor.post(VERIFY, { code: '3' })).location).toBe('/accounts/login/')
    expect((await visitor.post(VERIFY, { code: code() })).location).toBe('/accounts/login/')
    expect(await loadPhone(1)).toEqual({ phone: ADA, verified: false })
  })

  it('expires, and can be started again', async () => {
    await open({ phoneVerificationTimeout: 100 })
    const visitor = await signUp()
    world.clock.advance(101_000)
    expect((await visitor.follow(await visitor.get(VERIFY))).at).toBe('/accounts/login/')
    await visitor.login(ADA, PASSWORD)
    await visitor.post(VERIFY, { code: code() })
    expect(await visitor.whoami()).not.toBeNull()
  })

  it('looks the same as one in use', async () => {
    await open({ phoneVerificationSupportsResend: true, phoneVerificationSupportsChange: true })
    await member(BOB)
    const journey = async (phone: string): Promise<unknown> => {
      const visitor = world.visitor()
      await visitor.get(SIGNUP)
      const pages: Visited[] = [await visitor.post(SIGNUP, { phone, password1: PASSWORD })]
      pages.push(await visitor.get(VERIFY), await visitor.post(VERIFY, { code: 'x' }))
      world.clock.advance(31_000)
      pages.push(await visitor.follow(await visitor.post(VERIFY, { action: 'resend' })))
      pages.push(await visitor.post(VERIFY, { code: 'x' }), await visitor.post(VERIFY, { code: 'x' }))
      world.clock.advance(61_000)
      return JSON.parse(JSON.stringify(pages.map(observableVisit)).replaceAll(phone, 'X'))
    }
    expect(await journey(BOB)).toEqual(await journey(ADA))
    expect(texts.filter(({ phone, kind }) => phone === BOB && kind === 'exists')).toHaveLength(2)
  })

  it('is refused if in use and that may be revealed', async () => {
    await open({ preventEnumeration: false })
    await member(BOB)
    const answer = await world.visitor().post(SIGNUP, { phone: BOB, password1: PASSWORD })
    expect(answer.text).toContain('An account with this phone number already exists.')
  })

  it('can be changed before the first login, as often as the settings allow', async () => {
    await open({ phoneVerificationSupportsChange: 1 })
    const visitor = await signUp()
    expect((await visitor.post(VERIFY, { action: 'change', phone: ADA })).text).toContain(
      'different from your current one',
    )
    expect((await visitor.post(VERIFY, { action: 'change', phone: 'x' })).text).toContain('with a plus sign')
    await visitor.post(VERIFY, { action: 'change', phone: BOB })
    expect(await loadPhone(1)).toEqual({ phone: BOB, verified: false })
    expect((await visitor.get(VERIFY)).html).not.toContain('value="change"')
    await visitor.post(VERIFY, { code: code() })
    expect(await loadPhone(1)).toEqual({ phone: BOB, verified: true })
  })

  it('is refused right away if no message can be sent now, and no account is created', async () => {
    await open()
    await signUp()
    const { auth } = world
    await auth.kernel.users.remove(auth.kernel.database.db, 1)
    expect((await world.visitor().post(SIGNUP, { phone: ADA, password1: PASSWORD })).status).toBe(429)
    expect(await auth.kernel.users.any(auth.kernel.database.db)).toBe(false)
  })

  it('does not reveal that the host failed to send a message', async () => {
    await open(
      { phoneVerificationSupportsResend: true },
      {
        sendVerificationCodeSms: async () => {
          throw new Error('the carrier is gone')
        },
      },
    )
    const visitor = world.visitor()
    expect((await visitor.post(SIGNUP, { phone: ADA, password1: PASSWORD })).location).toBe(VERIFY)
    expect(world.logged.map(({ message }) => message)).toContain('A text message could not be sent')
  })

  it('is skipped if verification is off, and comes before the address if both are required', async () => {
    await open({ phoneVerificationEnabled: false })
    const visitor = await signUp()
    expect(await visitor.whoami()).not.toBeNull()
    await world.close()
    await open({
      signupFields: ['email*', 'phone*', 'password1*'],
      emailVerification: 'mandatory',
      emailVerificationByCodeEnabled: true,
    })
    const both = world.visitor()
    await both.post(SIGNUP, { email: 'ada@example.org', phone: ADA, password1: PASSWORD })
    expect((await both.post(VERIFY, { code: code() })).location).toBe('/accounts/confirm-email/')
    expect(await world.mails()).toHaveLength(1)
  })
})

describe('the phone of a signed-in user', () => {
  it('is replaced once the code is right', async () => {
    await open()
    const ada = await member()
    expect((await ada.get(CHANGE)).text).toContain(ADA)
    expect((await ada.post(CHANGE, { phone: BOB })).location).toBe(VERIFY)
    expect(await loadPhone(1)).toEqual({ phone: ADA, verified: true })
    expect((await ada.post(VERIFY, { code: code() })).location).toBe(CHANGE)
    expect(await loadPhone(1)).toEqual({ phone: BOB, verified: true })
  })

  it('is refused if it is the same, or in use and that may be revealed', async () => {
    await open({ preventEnumeration: false, rateLimits: { change_phone: null } })
    await member(BOB)
    const ada = await member()
    expect((await ada.post(CHANGE, { phone: ADA })).text).toContain('different from your current one')
    expect((await ada.post(CHANGE, { phone: BOB })).text).toContain('already exists')
  })

  it('hides that another user has it', async () => {
    await open()
    await member(BOB)
    const ada = await member()
    expect((await ada.post(CHANGE, { phone: BOB })).location).toBe(VERIFY)
    expect(texts.at(-1)).toEqual({ kind: 'exists', phone: BOB })
    expect((await ada.post(VERIFY, { code: '' })).status).toBe(200)
    expect(await loadPhone(1)).toEqual({ phone: BOB, verified: true })
  })

  it('ends after three wrong codes, and stays signed in', async () => {
    await open()
    const ada = await member()
    await ada.post(CHANGE, { phone: BOB })
    for (const wrong of ['1', '2', '3']) await ada.post(VERIFY, { code: wrong })
    expect((await ada.post(VERIFY, { code: code() })).location).toBe(CHANGE)
    expect(await ada.whoami()).not.toBeNull()
    expect(await loadPhone(1)).toEqual({ phone: ADA, verified: true })
  })

  it('can be changed within the rate limit', async () => {
    await open()
    const ada = await member()
    await ada.post(CHANGE, { phone: BOB })
    expect((await ada.post(CHANGE, { phone: '+31600000000' })).status).toBe(429)
  })

  it('is hidden from everyone else', async () => {
    await open()
    expect((await world.visitor().get(CHANGE)).location).toBe(`/accounts/login/?next=${CHANGE}`)
    expect((await world.visitor().get(VERIFY)).location).toBe('/accounts/login/')
  })
})

describe.each(testDatabases)('phones at the same time on %s', (_name, database) => {
  it('go to only one of two users who verify the same number', async () => {
    await open({ rateLimits: { verify_phone: null } }, {}, database)
    const [ada, bob] = [await member('+31600000001'), await member('+31600000002')]
    await ada.post(CHANGE, { phone: ADA })
    const first = code()
    await bob.post(CHANGE, { phone: ADA })
    const answers = await Promise.all([ada.post(VERIFY, { code: first }), bob.post(VERIFY, { code: code() })])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 302])
  })

  it('make one account of sign-ups with the same number', async () => {
    await open({ rateLimits: { verify_phone: null }, preventEnumeration: false }, {}, database)
    const visitors = Array.from({ length: 4 }, () => world.visitor())
    for (const visitor of visitors) await visitor.get(SIGNUP)
    const answers = await Promise.all(
      visitors.map((visitor) => visitor.post(SIGNUP, { phone: ADA, password1: PASSWORD })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 200, 302])
  })
})
