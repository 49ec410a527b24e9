import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'

const SIGNUP = '/accounts/signup/'
const PASSWORD = 'a made-up pass phrase'

type Account = NonNullable<NonNullable<NonNullable<Parameters<typeof authWorld>[0]>['settings']>['account']>

describe.each(testDatabases)('sign-ups at the same time on %s', (_name, openDatabase) => {
  let world: AuthWorld
  const open = async (account: Account): Promise<void> => {
    world = await authWorld({ settings: { account: { emailVerification: 'none', ...account } } }, openDatabase)
  }
  afterEach(() => world.close())

  /** Opens the page for all visitors, then posts in parallel. Returns the statuses in the order of the posts. */
  async function atOnce(posts: readonly Readonly<Record<string, string>>[]): Promise<readonly number[]> {
    const visitors = posts.map((_post, at) => world.visitor({ ip: `192.0.2.${at}` }))
    for (const visitor of visitors) await visitor.get(SIGNUP)
    const answers = await Promise.all(visitors.map(async (visitor, at) => visitor.post(SIGNUP, posts[at] ?? {})))
    return answers.map(({ status }) => status)
  }
  const users = async (): Promise<readonly string[]> =>
    (await world.auth.kernel.users.list(world.auth.kernel.database.db, { limit: 100, after: null })).map(
      ({ username, email }) => `${username} ${email}`,
    )

  it('with one address create one account, and the others get an error', async () => {
    await open({ loginMethods: ['email'], signupFields: ['email*', 'password1*'] })
    const spellings = ['ada@example.org', 'ADA@example.org', 'ada@ｅxample.org', 'ada@example.org']
    const statuses = await atOnce(spellings.map((email) => ({ email, password1: PASSWORD })))
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 200, 302])
    expect(await users()).toHaveLength(1)
  })

  it('with one hidden address create one account and look the same', async () => {
    await open({ loginMethods: ['email'], signupFields: ['email*', 'password1*'], emailVerification: 'mandatory' })
    const posts = Array.from({ length: 4 }, () => ({ email: 'ada@example.org', password1: PASSWORD }))
    expect(await atOnce(posts)).toEqual([302, 302, 302, 302])
    expect(await users()).toEqual(['ada ada@example.org'])
  })

  it('with one username in any case create one account, and the others get an error', async () => {
    await open({ signupFields: ['username*', 'password1*'] })
    const statuses = await atOnce(['Ada', 'ada', 'ADA', 'ａda'].map((username) => ({ username, password1: PASSWORD })))
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 200, 302])
    expect(await users()).toHaveLength(1)
  })

  it('with addresses that result in the same username get different ones', async () => {
    await open({ loginMethods: ['email'], signupFields: ['email*', 'password1*'] })
    const hosts = ['a.org', 'b.org', 'c.org', 'd.org']
    expect(await atOnce(hosts.map((host) => ({ email: `ada@${host}`, password1: PASSWORD })))).toEqual([
      302, 302, 302, 302,
    ])
    const names = (await users()).map((user) => user.split(' ')[0])
    expect(new Set(names).size).toBe(4)
  })
})
