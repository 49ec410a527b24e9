import { afterEach, describe, expect, it } from 'vitest'
import { type AuthWorld, ORIGIN } from '../../testing/auth-world.ts'
import { softwareAuthenticator } from '../../testing/authenticator.ts'
import { codeTo } from '../../testing/effects/effect.ts'
import type { Visitor } from '../../testing/visitor.ts'
import { ADA, ada, addApp, addKey, readPageData, LOGIN, secondStepWorld, TWO } from './testing-visits.ts'

const BY_PASSKEY = `${TWO}webauthn/login/`
const JSON_ONLY = { accept: 'application/json' }

let world: AuthWorld
const open = async (...args: Parameters<typeof secondStepWorld>): Promise<void> => {
  world = await secondStepWorld(...args)
}
afterEach(() => world.close())

async function loadPasskeyOptions(visitor: Visitor): Promise<Readonly<Record<string, unknown>>> {
  const answer: unknown = JSON.parse((await visitor.get(BY_PASSKEY, JSON_ONLY)).html)
  const { request_options } = answer as { request_options: { publicKey: Record<string, unknown> } } // as the page writes it
  return request_options.publicKey
}

describe('signing in by passkey alone', () => {
  it('passes the second step as well', async () => {
    await open()
    const member = await ada(world)
    await addApp(world, member)
    const device = await addKey(member, { passkey: true })
    const visitor = world.visitor()
    const credential = JSON.stringify(device.get(await loadPasskeyOptions(visitor)))
    expect((await visitor.post(BY_PASSKEY, { credential, next: '/papers/' })).location).toBe('/papers/')
    expect(await visitor.whoami()).toBe('ada')
  })

  it('is refused to a forged credential and to none, with a message on the login page', async () => {
    await open()
    const device = await addKey(await ada(world), { passkey: true })
    const visitor = world.visitor()
    const forged = JSON.stringify(device.get(await loadPasskeyOptions(visitor), { forged: true }))
    const refused = await visitor.post(BY_PASSKEY, { credential: forged, next: '/papers/' })
    expect(refused.location).toBe(`${LOGIN}?next=/papers/`)
    expect((await visitor.follow(refused)).text).toContain("This key wasn't accepted.")
    expect((await visitor.follow(await visitor.post(BY_PASSKEY))).text).toContain('Enable JavaScript for this page')
    expect(await visitor.whoami()).toBeNull()
  })

  it('begins on the login page, also for the autofill of browsers', async () => {
    await open()
    const visitor = world.visitor()
    expect((await visitor.get(BY_PASSKEY)).location).toBe(LOGIN)
    const { html } = await visitor.get(`${LOGIN}?next=/papers/`)
    expect(html).toContain('autocomplete="username webauthn"')
    expect(html).toMatch(
      /<form id="mfa_login" method="post" action="\/accounts\/2fa\/webauthn\/login\/"[^]*name="next" value="\/papers\/"/,
    )
    expect((await (await ada(world)).get(BY_PASSKEY, JSON_ONLY)).status).toBe(200)
  })

  it('is limited like the login', async () => {
    await open({ account: { rateLimits: { login: '1/m/ip' } } })
    await world.visitor().post(BY_PASSKEY)
    expect((await world.visitor().post(BY_PASSKEY)).status).toBe(429)
  })
})

describe('signing up by passkey', () => {
  const SIGNUP = '/accounts/signup/passkey/'
  const KEY = `${TWO}webauthn/signup/`
  const CONFIRM = '/accounts/confirm-email/'
  const SITE: Parameters<typeof secondStepWorld>[0] = {
    account: {
      loginMethods: ['email'],
      signupFields: ['email*', 'password1*', 'password2*'],
      emailVerification: 'mandatory',
      emailVerificationByCodeEnabled: true,
    },
    mfa: { passkeySignupEnabled: true },
  }

  it('asks for no password, verifies the address, makes the passkey, and it signs in', async () => {
    await open(SITE)
    const visitor = world.visitor()
    expect((await visitor.get('/accounts/signup/')).html).toContain(`href="${SIGNUP}"`)
    expect((await visitor.get(`${SIGNUP}?email=ada%40example.org`)).html).toContain('value="ada@example.org"')
    expect((await visitor.get(SIGNUP)).html).not.toContain('type="password"')
    expect((await visitor.post(SIGNUP, { email: ADA.email, next: '/papers/' })).location).toMatch(CONFIRM)
    const confirmed = await visitor.post(CONFIRM, { code: await codeTo(world, ADA.email) })
    expect(confirmed.location).toBe(`${KEY}?next=/papers/`)
    const device = softwareAuthenticator({ origin: ORIGIN })
    const { publicKey } = readPageData(await visitor.get(KEY))
    expect(publicKey['authenticatorSelection']).toMatchObject({ residentKey: 'required', userVerification: 'required' })
    expect((await visitor.post(KEY, { credential: '{}' })).text).toContain("This key wasn't accepted.")
    const created = device.create(readPageData(await visitor.get(KEY)).publicKey)
    expect((await visitor.post(KEY, { name: 'Mine', credential: JSON.stringify(created) })).location).toBe('/papers/')
    expect(await visitor.whoami()).toBe('ada')

    const again = world.visitor()
    const credential = JSON.stringify(device.get(await loadPasskeyOptions(again)))
    await again.post(BY_PASSKEY, { credential })
    expect(await again.whoami()).toBe('ada')
  })

  it('looks the same for an address in use', async () => {
    await open(SITE)
    await world.addUser(ADA)
    const [known, free] = [world.visitor(), world.visitor()]
    const shape = async (visitor: Visitor, email: string) => {
      const { status, location } = await visitor.post(SIGNUP, { email })
      return [status, location, (await visitor.get(KEY)).location]
    }
    const answers = [await shape(known, ADA.email), await shape(free, 'free@example.org')]
    expect(answers[0]).toEqual(answers[1])
  })

  it('shows what is wrong, and is closed where sign-up is', async () => {
    await open(SITE)
    expect((await world.visitor().post(SIGNUP, { email: 'x' })).text).toContain('Enter a valid value.')
    await world.close()
    await open(SITE, { account: { isOpenForSignup: () => false } })
    for (const answer of [
      await world.visitor().get(SIGNUP),
      await world.visitor().post(SIGNUP, { email: ADA.email }),
    ]) {
      expect(answer.text).toContain('Sign-up is closed')
    }
    expect(await world.mails()).toEqual([])
  })

  it('hides its last page from everyone else', async () => {
    await open(SITE)
    expect((await world.visitor().get(KEY)).location).toBe('/accounts/signup/')
    expect((await world.visitor().post(KEY, { credential: '{}' })).location).toBe('/accounts/signup/')
  })
})
