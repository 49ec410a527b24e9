import { afterEach, describe, expect, it } from 'vitest'
import type { AuthWorld } from '../../testing/auth-world.ts'
import {
  ADA,
  ada,
  addApp,
  addKey,
  totpAppFromPage,
  readRecoveryCodes,
  readPageData,
  LOGIN,
  secondStepWorld,
  TWO,
} from './testing-visits.ts'

const ACTIVATE = `${TWO}totp/activate/`
const DEACTIVATE = `${TWO}totp/deactivate/`
const CODES = `${TWO}recovery-codes/`
const KEYS = `${TWO}webauthn/`
const REAUTHENTICATE = '/accounts/reauthenticate/'

let world: AuthWorld
const open = async (...args: Parameters<typeof secondStepWorld>): Promise<void> => {
  world = await secondStepWorld(...args)
}
afterEach(() => world.close())
const passReauthenticationTimeout = (): void => world.clock.advance(400_000)

describe('an authenticator app', () => {
  it('is set up by its code; the secret stays the same until it is right', async () => {
    await open()
    const member = await ada(world)
    const page = await member.get(ACTIVATE)
    const app = totpAppFromPage(page, world)
    expect(page.headers.get('cache-control')).toContain('no-store')
    expect(page.html).toMatch(/<img [^>]*src="data:image\/svg\+xml;base64,/)
    expect(page.html).toMatch(/<span>[A-Z2-7]{4}<\/span>/)
    const wrong = await member.post(ACTIVATE, { code: '000000' })
    expect(wrong.text).toContain('Incorrect code.')
    expect(totpAppFromPage(wrong, world)()).toBe(app())
    expect((await member.post(ACTIVATE, { code: app() })).location).toBe(CODES)
    const shown = await member.get(CODES)
    expect(shown.text).toContain('Your authenticator app is set up.')
    expect(shown.text).toContain('You have new recovery codes.')
    expect(readRecoveryCodes(shown)).toHaveLength(10)
    expect((await member.get(ACTIVATE)).location).toBe(DEACTIVATE)
    expect((await member.post(ACTIVATE, { code: app() })).location).toBe(DEACTIVATE)
  })

  it('leads to the index where no codes were made', async () => {
    await open({ mfa: { supportedTypes: ['totp'], passkeyLoginEnabled: false } })
    const member = await ada(world)
    const app = totpAppFromPage(await member.get(ACTIVATE), world)
    expect((await member.post(ACTIVATE, { code: app() })).location).toBe(TWO)
    for (const path of [CODES, KEYS, `${TWO}webauthn/login/`]) expect((await member.get(path)).status).toBe(404)
  })

  it('is removed again', async () => {
    await open()
    const member = await ada(world)
    expect((await member.get(DEACTIVATE)).status).toBe(404)
    await addApp(world, member)
    expect((await member.get(DEACTIVATE)).text).toContain('Never used')
    expect((await member.post(DEACTIVATE)).location).toBe(TWO)
    const index = await member.get(TWO)
    expect(index.text).toContain('The authenticator app has been removed.')
    expect(index.text).toContain('Set up app')
    expect((await member.get(CODES)).status).toBe(404)
  })

  it('reports at once that a hook keeps it', async () => {
    await open({}, { mfa: { canDeleteAuthenticator: () => false } })
    const member = await ada(world)
    await addApp(world, member)
    const kept = "This sign-in method can't be removed."
    expect((await member.get(DEACTIVATE)).text).toContain(kept)
    expect((await member.post(DEACTIVATE)).text).toContain(kept)
    expect((await member.get(TWO)).text).toContain('Remove app')
  })

  it('is not for a user with an unverified address, with an explanation', async () => {
    await open()
    const member = await ada(world, { verified: false })
    passReauthenticationTimeout()
    for (const path of [ACTIVATE, `${KEYS}add/`]) {
      expect((await member.get(path)).location).toBe(TWO)
      expect((await member.post(path, { code: '1', credential: '{}' })).location).toBe(TWO)
      expect((await member.get(TWO)).text).toContain('Verify all your email addresses')
    }
  })
})

describe('recovery codes', () => {
  it('are downloaded, and renewed by POST alone', async () => {
    await open()
    const member = await ada(world)
    await addApp(world, member)
    const codes = readRecoveryCodes(await member.get(CODES))
    const file = await member.get(`${CODES}download/`)
    expect(file.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="recovery-codes.txt"')
    expect(file.headers.get('cache-control')).toContain('no-store')
    expect(file.html).toBe(`${codes.join('\n')}\n`)
    expect((await member.get(`${CODES}generate/`)).text).toContain('You still have 10 unused codes')
    expect(readRecoveryCodes(await member.get(CODES))).toEqual(codes)
    expect((await member.post(`${CODES}generate/`)).location).toBe(CODES)
    const renewed = readRecoveryCodes(await member.get(CODES))
    expect(renewed).toHaveLength(10)
    expect(renewed.filter((code) => codes.includes(code))).toEqual([])
  })

  it('need another factor', async () => {
    await open()
    const member = await ada(world)
    expect((await member.get(CODES)).status).toBe(404)
    expect((await member.get(`${CODES}download/`)).status).toBe(404)
    const refused = await member.post(`${CODES}generate/`)
    expect([refused.status, refused.text]).toEqual([200, expect.stringContaining('set up another second step.')])
  })

  it("are shown once if configured; a HEAD request doesn't count", async () => {
    await open({ mfa: { recoveryCodesShowOnce: true } })
    const member = await ada(world)
    await addApp(world, member)
    const { auth } = world
    const cookie = [...member.cookies].map((pair) => pair.join('=')).join('; ')
    const head = new Request(`http://auth.test${CODES}`, { method: 'HEAD', headers: { cookie, host: 'auth.test' } })
    expect((await auth.fetch(head, { remoteAddress: '192.0.2.1' })).status).toBe(200)
    expect((await member.get(`${CODES}download/`)).status).toBe(403)
    const first = await member.get(CODES)
    expect(first.text).toContain('shown only once')
    expect(readRecoveryCodes(first).every((code) => /^\d{8}$/.test(code))).toBe(true)
    const second = await member.get(CODES)
    expect(new Set(readRecoveryCodes(second))).toEqual(new Set(['****']))
    for (const code of readRecoveryCodes(first)) expect(second.html).not.toContain(code)
    expect(second.html).toContain(`href="${CODES}generate/"`)
  })
})

describe('security keys', () => {
  it('are added, listed, renamed and removed', async () => {
    await open()
    const member = await ada(world)
    expect((await member.get(KEYS)).text).toContain("You don't have any passkeys")
    expect((await member.get(`${KEYS}add/`)).html).toContain('value="Main key"')
    await addKey(member, { name: '<b>Blue</b>' })
    await addKey(member, { name: '', passkey: true })
    const list = await member.get(KEYS)
    expect(list.html).toContain('&lt;b&gt;Blue&lt;/b&gt;')
    expect(list.text).toMatch(/Security key .*Backup key Passkey/)
    const edit = `${KEYS}keys/1/edit/`
    expect((await member.get(edit)).html).toContain('value="&lt;b&gt;Blue&lt;/b&gt;"')
    expect((await member.post(edit, { name: ' ' })).text).toContain('This field is required.')
    expect((await member.post(edit, { name: 'Green' })).location).toBe(KEYS)
    expect((await member.get(KEYS)).text).toContain('Green')
    expect((await member.get(`${KEYS}keys/1/remove/`)).text).toContain("You'll no longer be able to sign in with Green")
    expect((await member.post(`${KEYS}keys/1/remove/`)).location).toBe(KEYS)
    expect((await member.get(KEYS)).text).not.toContain('Green')
  })

  it("are their owner's alone", async () => {
    await open()
    await addKey(await ada(world))
    await world.addUser({ ...ADA, username: 'eve', email: 'eve@example.org' })
    const eve = world.visitor()
    await eve.login('eve', ADA.password)
    for (const path of ['keys/1/edit/', 'keys/1/remove/', 'keys/x/edit/', 'keys/1.0/remove/']) {
      expect([path, (await eve.get(KEYS + path)).status, (await eve.post(KEYS + path, { name: 'x' })).status]).toEqual([
        path,
        404,
        404,
      ])
    }
  })

  it('use a single-use challenge', async () => {
    await open()
    const member = await ada(world)
    const refused = await member.post(`${KEYS}add/`, { name: 'Mine', credential: '{"id":"x"}' })
    expect(refused.text).toContain("This key wasn't accepted.")
    expect(refused.html).toContain('value="Mine"')
    expect(readPageData(refused).publicKey['challenge']).toMatch(/^[\w-]{43}$/)
  })
})

it.each([ACTIVATE, `${KEYS}add/`, `${CODES}generate/`])('%s requires recent authentication', async (path) => {
  await open()
  const member = await ada(world)
  passReauthenticationTimeout()
  expect((await member.get(path)).location).toBe(`${REAUTHENTICATE}?next=${path}`)
  expect((await member.post(path, { code: '1' })).location).toBe(`${REAUTHENTICATE}?next=${path}`)
})

it.each([
  TWO,
  ACTIVATE,
  DEACTIVATE,
  CODES,
  `${CODES}generate/`,
  `${CODES}download/`,
  KEYS,
  `${KEYS}add/`,
  `${KEYS}keys/1/edit/`,
])('%s is not for strangers', async (path) => {
  await open()
  expect((await world.visitor().get(path)).location).toBe(`${LOGIN}?next=${path}`)
})

it('has no pages while the module is off', async () => {
  await open({ mfa: { enabled: false } })
  const member = await ada(world)
  for (const path of [TWO, ACTIVATE, KEYS, '/mfa/totp/create/']) expect((await member.get(path)).status).toBe(404)
  expect((await world.visitor().get(LOGIN)).html).not.toContain('webauthn')
})

describe('the routes of the contract, whatever the mount point', () => {
  it.each([
    ['/mfa/totp/create/', 'Set up an authenticator app'],
    ['/mfa/webauthn/create/', 'Add a passkey'],
    ['/mfa/recovery_codes/generate/', 'Generate new recovery codes'],
  ])('GET %s', async (path, text) => {
    await open({ pathPrefix: '/members/' })
    await world.addUser(ADA)
    const member = world.visitor()
    await member.login(ADA.username, ADA.password)
    expect((await member.get(path)).text).toContain(text)
  })

  it('POST /mfa/totp/activate/ sets the app up, and GET never makes codes', async () => {
    await open()
    const member = await ada(world)
    const app = totpAppFromPage(await member.get('/mfa/totp/create/'), world)
    expect((await member.post('/mfa/totp/activate/', { code: app() })).location).toBe(CODES)
    const codes = readRecoveryCodes(await member.get(CODES))
    expect((await member.get('/mfa/recovery_codes/generate/')).status).toBe(200)
    expect(readRecoveryCodes(await member.get(CODES))).toEqual(codes)
    expect((await member.post('/mfa/recovery_codes/generate/')).location).toBe(CODES)
  })

  it('POST /mfa/webauthn/activate/ takes a credential', async () => {
    await open()
    const member = await ada(world)
    expect((await member.post('/mfa/webauthn/activate/', { credential: '{}' })).text).toContain(
      "This key wasn't accepted.",
    )
  })
})
