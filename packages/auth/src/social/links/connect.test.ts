import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { InvalidInput } from '../../errors.ts'
import { singleEmail, type SocialBench, socialBench, type SocialBrowser } from '../testing-bench.ts'

let bench: SocialBench
afterEach(() => bench.world.close())

const CONNECT = { process: 'connect' } as const
const links = async (userId: number): Promise<readonly string[]> =>
  (await bench.auth.module('social').accounts.ofUser(bench.auth.kernel.database.db, userId)).map(
    ({ provider, uid }) => `${provider} ${uid}`,
  )
const disconnect = (browser: SocialBrowser, accountId: number): Promise<unknown> =>
  browser.run(async (request, social) => {
    const { user } = request
    if (user === null) return 'nobody is signed in'
    return social.disconnect(request, user, accountId).catch((error: unknown) => error)
  })
const inputErrorShape = (code: string): object => ({ name: 'InvalidInput', errors: [{ code }] })

/** Returns the browser of a user who signed up with Google. */
async function eve(uid = 'eve'): Promise<SocialBrowser> {
  const browser = bench.browser()
  await browser.visit('google', { uid, username: uid, emails: singleEmail(`${uid}@example.org`) })
  return browser
}

describe.each(testDatabases)('connecting on %s', (_name, open) => {
  it("links an account to the signed-in user, once, and never another user's", async () => {
    bench = await socialBench({ account: { emailNotifications: true } }, { open })
    const { world } = bench
    const signals: string[] = []
    for (const name of ['social_account_added', 'social_account_removed', 'social_account_updated'] as const) {
      world.auth.signals.on(name, ({ signal, sender }) => void signals.push(`${signal} of ${sender}`))
    }
    const [one, two] = [await eve(), await eve('other')]
    const there = { uid: 'eve-there', emails: singleEmail('elsewhere@example.org') }
    const added = await one.visit('github', there, { ...CONNECT, next: '/back/' })
    expect(added).toMatchObject({ kind: 'connected', action: 'added', redirectTo: '/back/' })
    expect(await links(1)).toEqual(['google eve', 'github eve-there'])
    expect(
      (await bench.auth.account.emails.ofUser(bench.auth.kernel.database.db, 1)).map(({ email }) => email),
    ).toEqual(['eve@example.org'])
    expect((await world.mailTo('eve@example.org')).text).toContain('Your GitHub account has been connected')
    expect(await one.visit('github', there, CONNECT)).toMatchObject({ kind: 'connected', action: 'updated' })
    expect(await two.visit('github', there, CONNECT)).toMatchObject({ kind: 'connected', action: 'other' })
    expect(await links(2)).toEqual(['google other'])
    expect(await two.whoami()).toBe('other')
    expect(signals).toEqual([
      'social_account_added of SocialAccount',
      'social_account_updated of SocialLogin',
      'social_account_updated of SocialLogin',
    ])
    const same = await Promise.all([one, two].map((browser) => browser.visit('twitter', { uid: 'both' }, CONNECT)))
    expect(same.map((outcome) => (outcome.kind === 'connected' ? outcome.action : outcome.kind)).toSorted()).toEqual([
      'added',
      'other',
    ])
  })

  it('requires a signed-in user, the same one at both ends', async () => {
    bench = await socialBench({}, { open })
    await expect(bench.browser().leave('github', CONNECT)).rejects.toMatchObject({ code: 'login_required' })
    const browser = await eve()
    const to = await browser.leave('github', CONNECT)
    await browser.visit('google', { uid: 'other', username: 'other' })
    const state = to.searchParams.get('state') ?? ''
    const outcome = await browser.comeBack('github', { state, code: bench.idToken({ uid: 'x' }) })
    expect(outcome).toMatchObject({ kind: 'failed' })
    expect([await links(1), await links(2)]).toEqual([['google eve'], ['google other']])
  })

  it('is undone unless nothing would be left to sign in with', async () => {
    let isRefused = false
    const refuse = async (): Promise<void> => {
      if (isRefused) throw new InvalidInput([{ code: 'kept', message: 'Keep it.' }])
    }
    const account = { emailNotifications: true, signupFields: ['email*', 'username*', 'password1*'] as const }
    bench = await socialBench(
      { account: { ...account, emailVerification: 'mandatory' } },
      { open, adapters: { social: { validateDisconnect: refuse } } },
    )
    const { auth, world } = bench
    const browser = await eve()
    await browser.visit('github', { uid: 'g' }, CONNECT)
    expect(await disconnect(browser, 99)).toMatchObject(inputErrorShape('account_not_found'))
    await eve('other')
    expect(await disconnect(browser, 3)).toMatchObject(inputErrorShape('account_not_found'))
    isRefused = true
    expect(await disconnect(browser, 1)).toMatchObject(inputErrorShape('kept'))
    isRefused = false
    const removed: unknown[] = []
    world.auth.signals.on('social_account_removed', ({ sender, socialaccount, user }) => {
      removed.push([sender, socialaccount.provider, user.id])
    })
    expect(
      (await Promise.all([disconnect(browser, 1), disconnect(browser, 2)])).filter((it) => it === undefined),
    ).toEqual([undefined])
    const [left] = await auth.module('social').accounts.ofUser(auth.kernel.database.db, 1)
    expect(removed).toEqual([['SocialAccount', left?.provider === 'google' ? 'github' : 'google', 1]])
    expect((await world.mailTo('eve@example.org')).subject).toContain('An account has been disconnected')
    const last = left?.id ?? 0
    expect(await disconnect(browser, last)).toMatchObject(inputErrorShape('no_password'))
    await auth.kernel.users.setPassword(auth.kernel.database.db, 1, 'a made-up hash')
    const again = bench.browser()
    await again.visit(left?.provider ?? '', { uid: left?.uid ?? '' })
    await auth.kernel.database.db.updateTable('account_emailaddress').set({ verified: false }).execute()
    expect(await disconnect(again, last)).toMatchObject(inputErrorShape('no_verified_email'))
    await auth.kernel.database.db.updateTable('account_emailaddress').set({ verified: true }).execute()
    expect(await disconnect(again, last)).toBeUndefined()
    expect(await links(1)).toEqual([])
  })
})

it('requires reauthentication, if configured and possible', async () => {
  bench = await socialBench({ account: { reauthenticationRequired: true } })
  const { auth, world } = bench
  const browser = await eve()
  await auth.kernel.users.setPassword(auth.kernel.database.db, 1, 'a made-up hash')
  const again = bench.browser()
  await again.visit('google', { uid: 'eve' })
  world.clock.advance(301_000)
  await expect(again.leave('github', CONNECT)).rejects.toMatchObject({ code: 'reauthentication_required' })
  const known = await again.run(async (request) => request.user?.id)
  expect(known).toBe(1)
  expect(await browser.whoami()).toBeNull()

  const recent = bench.browser()
  await recent.visit('google', { uid: 'eve' })
  const state = (await recent.leave('github', CONNECT)).searchParams.get('state') ?? ''
  world.clock.advance(301_000)
  const late = await recent.comeBack('github', { state, code: bench.idToken({ uid: 'x' }) })
  expect(late).toMatchObject({ kind: 'failed', error: { code: 'reauthentication_required' } })
  expect(await links(1)).toEqual(['google eve'])
})

it('keeps the last account on a site without local accounts', async () => {
  bench = await socialBench({ socialaccount: { only: true }, account: { emailVerification: 'none' } })
  expect(await disconnect(await eve(), 1)).toMatchObject(inputErrorShape('disconnect_last'))
})
