import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import type { User } from '../../kernel/users/user.ts'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'
import type { Visitor } from '../../testing/visitor.ts'

const VICTIM = 'victim@example.org'
const MALLORY = 'mallory@example.net'
const PASSWORD = 'tangerine-orbit-42'
const NEW = 'velvet-plinth-77'
const RESET = '/accounts/password/reset/'

/** What someone who signed up with another person's address still has in the account. */
interface Foothold {
  readonly addresses: readonly string[]
  readonly factors: number
  readonly links: number
  readonly isSignedIn: boolean
  /** Whether the host was asked to revoke its own tokens. */
  readonly hasTokens: boolean
}

const NONE: Foothold = { addresses: [VICTIM], factors: 0, links: 0, isSignedIn: false, hasTokens: false }
const KEPT: Foothold = { addresses: [VICTIM, MALLORY], factors: 1, links: 1, isSignedIn: true, hasTokens: true }

describe.each(testDatabases)('the first proof of whose an account is, on %s', (_name, open) => {
  let world: AuthWorld
  let user: User
  let mallory: Visitor
  let revoked: unknown[]
  afterEach(() => world.close())

  /** Mallory signs up with the victim's address, and prepares to come back. */
  const begin = async (account: object = {}, victim: { readonly verified?: boolean } = {}): Promise<void> => {
    revoked = []
    world = await authWorld(
      {
        settings: {
          account: { loginMethods: ['email'], signupFields: ['email*', 'password1*'], ...account },
          mfa: { enabled: true, allowUnverifiedEmail: true },
          socialaccount: { enabled: true },
        },
        pages: (auth) => [
          {
            name: 'signed-in-at-github',
            path: '/signed-in-at-github/',
            access: 'auth',
            async GET(visit) {
              await auth.account.login.record(
                visit,
                { method: 'socialaccount', provider: 'github', uid: '666' },
                visit.user,
              )
              return { kind: 'redirect', to: '/' }
            },
          },
        ],
        adapters: { account: { revokeAccess: async (_db, id) => void revoked.push(id) } },
      },
      open,
    )
    user = await world.addUser({ username: 'v', email: VICTIM, password: PASSWORD, verified: false, ...victim })
    mallory = world.visitor()
    await mallory.login(VICTIM, PASSWORD)
    const { kernel, account: accounts, module } = world.auth
    const { db } = kernel.database
    await accounts.emails.insert(db, { userId: user.id, email: MALLORY, verified: true, primary: false })
    const nowMs = world.clock.now()
    const factor = { type: 'totp', data: { secret: 'x' }, createdAtMs: nowMs } as const
    await module('mfa').authenticators.insert(db, { userId: user.id, ...factor })
    const times = { lastLoginMs: nowMs, dateJoinedMs: nowMs }
    const link = { provider: 'github', uid: '666', extraData: {}, ...times }
    await module('social').accounts.insert(db, { userId: user.id, ...link })
  }
  const foothold = async (): Promise<Foothold> => {
    const { kernel, account, module } = world.auth
    const { db } = kernel.database
    return {
      addresses: (await account.emails.ofUser(db, user.id)).map(({ email }) => email),
      factors: (await module('mfa').authenticators.ofUser(db, user.id)).length,
      links: (await module('social').accounts.ofUser(db, user.id)).length,
      isSignedIn: (await mallory.whoami()) !== null,
      hasTokens: revoked.length === 0,
    }
  }
  const linkIn = async (email: string): Promise<string> =>
    new URL(/http:\S+/.exec((await world.mailTo(email)).text)?.[0] ?? '').pathname
  const resetThrough = async (email: string): Promise<void> => {
    const visitor = world.visitor()
    await visitor.post(RESET, { email })
    const form = await visitor.get(await linkIn(email))
    const done = await visitor.post(form.location ?? '', { password1: NEW, password2: NEW })
    expect(done.location).toBe('/accounts/password/reset/key/done/')
  }
  const confirmIn = async (visitor: Visitor): Promise<void> => {
    await mallory.post('/accounts/email/', { action_send: '', email: VICTIM })
    expect((await visitor.post(await linkIn(VICTIM), {})).status).toBe(302)
  }

  it('is a reset by link, which leaves nothing to others', async () => {
    await begin()
    expect(await foothold()).toEqual(KEPT)
    await resetThrough(VICTIM)
    expect(await foothold()).toEqual(NONE)
  })

  it('is a reset by code', async () => {
    await begin({ passwordResetByCodeEnabled: true })
    const visitor = world.visitor()
    await visitor.post(RESET, { email: VICTIM })
    const code = /\b[B-Z]{4}-[B-Z]{4}\b/.exec((await world.mailTo(VICTIM)).text)?.[0] ?? ''
    await visitor.post(`${RESET}confirm/`, { code })
    await visitor.post(`${RESET}complete/`, { password1: NEW, password2: NEW })
    expect(await foothold()).toEqual(NONE)
    expect((await visitor.login(VICTIM, NEW)).status).toBe(302)
  })

  it('is a confirmation in another browser', async () => {
    await begin()
    await confirmIn(world.visitor())
    expect(await foothold()).toEqual(NONE)
  })

  it('is a confirmation in a browser that is signed in, which stays so', async () => {
    await begin()
    await confirmIn(mallory)
    expect(await foothold()).toEqual({ ...NONE, isSignedIn: true })
  })

  it('leaves the provider account that this browser signed in with', async () => {
    await begin()
    await mallory.get('/signed-in-at-github/')
    await confirmIn(mallory)
    expect(await foothold()).toMatchObject({ links: 1, factors: 0 })
  })

  it('happens once: a reset of a proven account keeps its addresses and factors, but ends access', async () => {
    await begin({}, { verified: true })
    await resetThrough(VICTIM)
    expect(await foothold()).toEqual({ ...KEPT, isSignedIn: false, hasTokens: false })
  })

  it('is not the confirmation of another address', async () => {
    await begin()
    const { db } = world.auth.kernel.database
    await world.auth.account.emails.insert(db, {
      userId: user.id,
      email: 'm2@example.net',
      verified: false,
      primary: false,
    })
    await mallory.post('/accounts/email/', { action_send: '', email: 'm2@example.net' })
    await mallory.post(await linkIn('m2@example.net'), {})
    expect(await foothold()).toMatchObject({ factors: 1, links: 1, hasTokens: true })
  })

  it('is never a reset through an unverified address of an account that is proven', async () => {
    await begin({}, { verified: true })
    const { db } = world.auth.kernel.database
    await world.auth.account.emails.insert(db, {
      userId: user.id,
      email: 'typo@example.com',
      verified: false,
      primary: false,
    })
    await world.visitor().post(RESET, { email: 'typo@example.com' })
    const mail = await world.mailTo('typo@example.com')
    expect(mail.text).toMatch(/but there's no account with this\s+address/)
  })

  it('is the address that the link was mailed to', async () => {
    await begin()
    const { db } = world.auth.kernel.database
    await db.updateTable('account_emailaddress').set({ verified: false }).execute()
    await resetThrough(MALLORY)
    expect((await foothold()).addresses).toEqual([MALLORY])
    expect((await world.auth.kernel.users.byId(db, user.id))?.email).toBe(MALLORY)
  })
})
