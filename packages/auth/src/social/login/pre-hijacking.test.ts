import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { timeText } from '../../kernel/schema/values.ts'
import type { User } from '../../kernel/users/user.ts'
import { singleEmail, type SocialBench, socialBench, type SomebodyThere } from '../testing-bench.ts'

let bench: SocialBench
afterEach(() => bench.world.close())

const OWNER: SomebodyThere = { uid: 'owner', username: 'owner', emails: singleEmail('owner@example.org') }

describe.each(testDatabases)("an account created with another person's address on %s", (_name, open) => {
  it('is not entered by its owner while others have a way in that does not end', async () => {
    bench = await socialBench({ socialaccount: { emailAuthentication: true } }, { open })
    const { auth, world } = bench
    const squatter = bench.browser()
    await squatter.visit('github', { uid: '1', username: 'eve', emails: singleEmail('owner@example.org', false) })
    expect(await bench.browser().visit('google', OWNER)).toMatchObject({ kind: 'signup' })
    expect(await squatter.whoami()).toBe('eve')

    const ada = await world.addUser({ username: 'ada', email: 'ada@example.org', password: 'a made-up pass phrase' })
    const { db } = auth.kernel.database
    await auth.account.emails.insert(db, { userId: ada.id, email: 'ada@exmaple.org', verified: false, primary: false })
    const stranger = { uid: 'stranger', emails: singleEmail('ada@exmaple.org') }
    expect(await bench.browser().visit('google', stranger)).toMatchObject({ kind: 'signup' })
    expect(await auth.kernel.users.byId(db, ada.id)).toMatchObject({ hasUsablePassword: true })
    const other = bench.browser()
    await other.visit('google', { uid: 'ada', emails: singleEmail('ada@example.org') })
    expect(await other.whoami()).toBe('ada')
  })
  it("goes to the address's owner, not to a user set by a hook, and its creator loses all access", async () => {
    const name = async (uid: string): Promise<User | null> =>
      uid === 'hooked' ? bench.auth.kernel.users.byUsername(bench.auth.kernel.database.db, 'bob') : null
    bench = await socialBench(
      { socialaccount: { emailAuthentication: true }, idpOidc: { enabled: true } },
      {
        open,
        adapters: {
          social: {
            async preSocialLogin(_request, sociallogin) {
              sociallogin.existingUser = (await name(sociallogin.account.uid)) ?? sociallogin.existingUser
            },
          },
        },
      },
    )
    const { auth, world } = bench
    const ada = { username: 'ada', email: 'owner@example.org', verified: false, password: 'a made-up phrase' }
    const { id } = await world.addUser(ada)
    const bob = await world.addUser({ username: 'bob', email: 'bob@example.org', password: 'another made-up phrase' })
    const browser = bench.browser()
    await browser.visit('google', { ...OWNER, uid: 'hooked' })
    expect(await browser.whoami()).toBe('bob')
    expect(await auth.kernel.users.byId(auth.kernel.database.db, bob.id)).toMatchObject({ hasUsablePassword: true })

    const { db } = auth.kernel.database
    const now = timeText(world.clock.now(), auth.kernel.database.dialect)
    const token = { type: 'at', data: null, created_at: now, expires_at: null, scopes: 'openid', client_id: null }
    for (const userId of [Number(id), Number(bob.id)]) {
      await db
        .insertInto('allauth_idp_oidc_token')
        .values({ ...token, hash: `of ${userId}`, user_id: userId })
        .execute()
    }
    const owner = bench.browser()
    await owner.visit('google', OWNER)
    expect(await owner.whoami()).toBe('ada')
    expect(await db.selectFrom('allauth_idp_oidc_token').select('hash').execute()).toEqual([{ hash: `of ${bob.id}` }])
  })
})

it('is stored in a new session', async () => {
  bench = await socialBench({ socialaccount: { autoSignup: false } })
  const world = bench.world
  const known = bench.browser()
  const to = await known.leave('google')
  const planted = known.cookies()
  expect(
    await known.comeBack('google', { state: to.searchParams.get('state') ?? '', code: bench.idToken(OWNER) }),
  ).toMatchObject({ kind: 'signup' })
  expect(known.cookies()).not.toBe(planted)
  const request = new Request('http://auth.test/', { headers: { cookie: planted } })
  const { result } = await world.auth.visit(request, { remoteAddress: '192.0.2.2' }, (visit) =>
    bench.auth.module('social').pendingSignup(visit),
  )
  expect(result).toBeNull()
})
