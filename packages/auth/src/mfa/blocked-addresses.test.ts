import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import type { AuthSettingsInput } from '../kernel/settings/settings.ts'
import { ADA, codeTo, PASSWORD } from '../testing/effects/effect.ts'
import type { Visitor } from '../testing/visitor.ts'
import { type MfaWorld, mfaWorld, SECRET, SEED, SEED_CODES } from './testing-bench.ts'

const EMAIL = '/accounts/email/'
const SECOND = 'second@example.org'

describe.each(testDatabases)('a new address with a second factor on %s', (_name, open) => {
  let world: MfaWorld
  afterEach(() => world.close())

  const begin = async (settings: AuthSettingsInput): Promise<Visitor> => {
    world = await mfaWorld(open, settings)
    const ada = await world.addUser(ADA)
    await world.imported(ada, 'totp', { secret: SECRET })
    await world.imported(ada, 'recovery_codes', { seed: SEED, used_mask: 0 })
    const browser = world.visitor()
    await browser.login('ada', PASSWORD)
    if (settings.mfa?.enabled !== false)
      await browser.post('/accounts/2fa/authenticate/', { code: SEED_CODES[0] ?? '' })
    expect(await browser.whoami()).toBe('ada')
    return browser
  }
  const add = (browser: Visitor): ReturnType<Visitor['post']> => browser.post(EMAIL, { action_add: '', email: SECOND })
  const addresses = async (): Promise<readonly string[]> =>
    (await world.auth.kernel.database.db.selectFrom('account_emailaddress').select('email').execute()).map(
      ({ email }) => email,
    )

  it('is refused, as it would stay unverified', async () => {
    const browser = await begin({})
    expect((await add(browser)).text).toContain(
      "You can't add an email address while two-factor authentication is enabled.",
    )
    expect(await addresses()).toEqual([ADA.email])
  })

  it('is stored once its code is typed', async () => {
    const byCode = { emailVerification: 'mandatory', emailVerificationByCodeEnabled: true } as const
    const browser = await begin({ account: { ...byCode, signupFields: ['email*', 'username*', 'password1*'] } })
    const sent = await add(browser)
    expect(await addresses()).toEqual([ADA.email])
    await browser.post(sent.location ?? '', { code: await codeTo(world, SECOND) })
    expect(await addresses()).toEqual([ADA.email, SECOND])
  })

  it.each([
    ['the site does not mind', { mfa: { allowUnverifiedEmail: true } }],
    ['the module is off', { mfa: { enabled: false } }],
  ])('is stored where %s', async (_why, settings) => {
    await add(await begin(settings))
    expect(await addresses()).toEqual([ADA.email, SECOND])
  })

  it('and an app that is set up at the same time are never both there', async () => {
    world = await mfaWorld(open)
    const ada = await world.person('ada')
    const { url } = await ada.browser((visit, { totp }) => totp.offer(visit, ada.user))
    const { auth } = world
    let adding: Promise<unknown> = Promise.resolve()
    // The form of the address is looked at while there is no app yet.
    auth.signals.on('_add_email', async () => {
      await ada.browser((visit, { totp }) => totp.activate(visit, ada.user, world.appCode(url)))
    })
    const request = new Request('http://auth.test/mine')
    adding = world.auth.visit(request, { remoteAddress: '192.0.2.7' }, async (visit, flows) => {
      visit.setUser(ada.user)
      return flows.addAddress(visit, SECOND)
    })
    await expect(adding).rejects.toThrow('add_email_blocked')
    expect(await addresses()).toEqual([ADA.email])
  })
})
