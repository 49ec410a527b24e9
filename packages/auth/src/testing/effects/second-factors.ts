import { addApp, totpAppFromPage, readRecoveryCodes, readPageData, TWO } from '../../mfa/pages/testing-visits.ts'
import { readPublicKeyOptions } from '../api-bench.ts'
import { type AuthWorld, ORIGIN } from '../auth-world.ts'
import { softwareAuthenticator } from '../authenticator.ts'
import { VERIFY_CODES } from '../hooks/hook.ts'
import type { Visited, Visitor } from '../visitor.ts'
import { ADA, codeTo, type Effect, member, PASSWORD } from './effect.ts'

const ON = { mfa: { enabled: true } } as const
const KEYS = { mfa: { enabled: true, supportedTypes: ['recovery_codes', 'totp', 'webauthn'] } } as const
const TRUST = { mfa: { enabled: true, trustEnabled: true } } as const
const CODES = { account: { loginMethods: ['username'], loginByCodeRequired: true } } as const
const ACTIVATE = `${TWO}totp/activate/`
const HOME = '/accounts/profile/'
const HOUR_MS = 3_600_000

const statusFor = async (world: AuthWorld, path: string): Promise<number> =>
  (await (await member(world)).get(path)).status
const offeredUrl = async (world: AuthWorld): Promise<string | undefined> =>
  /href="(otpauth:[^"]*)"/.exec((await (await member(world)).get(ACTIVATE)).html)?.[1]?.replaceAll('&amp;', '&')
/** Returns the recovery codes that Ada first sees. */
async function firstCodes(world: AuthWorld): Promise<readonly string[]> {
  const ada = await member(world)
  await addApp(world, ada)
  return readRecoveryCodes(await ada.get(`${TWO}recovery-codes/`))
}
/** Signs in with a password and an authenticator app. Returns the visitor and the last response. */
async function secondStep(world: AuthWorld): Promise<{ readonly visitor: Visitor; readonly answer: Visited }> {
  const app = await addApp(world, await member(world))
  const visitor = world.visitor()
  await visitor.login(ADA.username, PASSWORD)
  return { visitor, answer: await visitor.post(`${TWO}authenticate/`, { code: app() }) }
}
async function logInTrustingBrowser(
  world: AuthWorld,
): Promise<{ readonly visitor: Visitor; readonly answer: Visited }> {
  const { visitor } = await secondStep(world)
  return { visitor, answer: await visitor.post(`${TWO}trust/`, { action: 'trust' }) }
}
/**
 * Creates the effect of a setting of the trusted browser cookie.
 * @param pattern Matches the cookie line only with the setting.
 */
const trustCookieEffect = (name: string, changed: Effect['changed'], pattern: RegExp): Effect => ({
  setting: `mfa.${name}`,
  base: TRUST,
  changed,
  observe: async (world) =>
    (await logInTrustingBrowser(world)).answer.headers.getSetCookie().some((line) => pattern.test(line)),
  without: false,
  within: true,
})

const FACTORS: readonly Effect[] = [
  {
    setting: 'mfa.enabled',
    changed: ON,
    observe: (world) => statusFor(world, TWO),
    without: 404,
    within: 200,
  },
  {
    setting: 'mfa.allowUnverifiedEmail',
    base: ON,
    changed: { mfa: { allowUnverifiedEmail: true } },
    observe: async (world) => (await (await member(world, { ...ADA, verified: false })).get(ACTIVATE)).location,
    without: TWO,
    within: null,
  },
  {
    setting: 'mfa.reauthenticationRequired',
    base: ON,
    changed: { mfa: { reauthenticationRequired: true } },
    async observe(world) {
      const ada = await member(world)
      await addApp(world, ada)
      world.clock.advance(HOUR_MS)
      await ada.post('/accounts/reauthenticate/', { password: PASSWORD })
      return (await ada.get(`${TWO}recovery-codes/generate/`)).status
    },
    without: 200,
    within: 302,
  },
  {
    setting: 'mfa.passkeyLoginEnabled',
    base: KEYS,
    changed: { mfa: { passkeyLoginEnabled: true } },
    observe: async (world) => (await world.visitor().get(`${TWO}webauthn/login/`)).status,
    without: 404,
    within: 302,
  },
  {
    setting: 'mfa.passkeyLoginWithoutUserVerification',
    base: {
      headless: { enabled: true },
      mfa: { enabled: true, supportedTypes: ['webauthn'], passkeyLoginEnabled: true },
    },
    changed: { mfa: { passkeyLoginWithoutUserVerification: true } },
    async observe(world) {
      await member(world)
      const [owner, visitor] = [world.api('app'), world.api('app')]
      await owner.post('auth/login', { username: ADA.username, password: PASSWORD })
      const key = softwareAuthenticator({ origin: ORIGIN })
      const keys = 'account/authenticators/webauthn'
      await owner.post(keys, { credential: key.create(readPublicKeyOptions(await owner.get(`${keys}?passwordless`))) })
      const options = readPublicKeyOptions(await visitor.get('auth/webauthn/login'))
      const credential = key.get(options, { userVerified: false })
      return (await visitor.post('auth/webauthn/login', { credential })).status
    },
    without: 400,
    within: 200,
  },
  {
    setting: 'mfa.passkeySignupEnabled',
    base: { ...VERIFY_CODES, ...KEYS },
    changed: { mfa: { passkeySignupEnabled: true } },
    observe: async (world) => (await world.visitor().get('/accounts/signup/passkey/')).status,
    without: 404,
    within: 200,
  },
  {
    setting: 'mfa.recoveryCodeCount',
    base: ON,
    changed: { mfa: { recoveryCodeCount: 3 } },
    observe: async (world) => (await firstCodes(world)).length,
    without: 10,
    within: 3,
  },
  {
    setting: 'mfa.recoveryCodeDigits',
    base: ON,
    changed: { mfa: { recoveryCodeDigits: 12 } },
    observe: async (world) => (await firstCodes(world))[0]?.length,
    without: 8,
    within: 12,
  },
  {
    setting: 'mfa.recoveryCodesShowOnce',
    base: ON,
    changed: { mfa: { recoveryCodesShowOnce: true } },
    async observe(world) {
      const ada = await member(world)
      await addApp(world, ada)
      const first = readRecoveryCodes(await ada.get(`${TWO}recovery-codes/`))
      const again = readRecoveryCodes(await ada.get(`${TWO}recovery-codes/`))
      return [first.length, again.includes(first[0] ?? ''), (await ada.get(`${TWO}recovery-codes/download/`)).status]
    },
    without: [10, true, 200],
    within: [10, false, 403],
  },
  {
    setting: 'mfa.supportedTypes',
    base: ON,
    changed: { mfa: { supportedTypes: ['webauthn'] } },
    async observe(world) {
      const ada = await member(world)
      return [(await ada.get(ACTIVATE)).status, (await ada.get(`${TWO}webauthn/`)).status]
    },
    without: [200, 404],
    within: [404, 200],
  },
]

const APPS: readonly Effect[] = [
  {
    setting: 'mfa.totpDigits',
    base: ON,
    changed: { mfa: { totpDigits: 8 } },
    async observe(world) {
      const ada = await member(world)
      const code = totpAppFromPage(await ada.get(ACTIVATE), world)()
      return [code.length, (await ada.post(ACTIVATE, { code })).status]
    },
    without: [6, 302],
    within: [8, 302],
  },
  {
    setting: 'mfa.totpInsecureBypassCode',
    base: ON,
    changed: { mfa: { totpInsecureBypassCode: 'let me in' } },
    async observe(world) {
      const ada = await member(world)
      await ada.get(ACTIVATE)
      return (await ada.post(ACTIVATE, { code: 'let me in' })).status
    },
    without: 200,
    within: 302,
  },
  {
    setting: 'mfa.totpIssuer',
    base: ON,
    changed: { mfa: { totpIssuer: 'Harbour' } },
    observe: async (world) => /issuer=(\w+)/.exec((await offeredUrl(world)) ?? '')?.[1],
    without: 'Example',
    within: 'Harbour',
  },
  {
    setting: 'mfa.totpPeriod',
    base: ON,
    changed: { mfa: { totpPeriod: 60 } },
    observe: async (world) => /period=(\d+)/.exec((await offeredUrl(world)) ?? '')?.[1] ?? 'as apps have it',
    without: 'as apps have it',
    within: '60',
  },
  {
    setting: 'mfa.totpTolerance',
    base: ON,
    changed: { mfa: { totpTolerance: 1 } },
    async observe(world) {
      const ada = await member(world)
      const late = totpAppFromPage(await ada.get(ACTIVATE), world)()
      world.clock.advance(30_000)
      return (await ada.post(ACTIVATE, { code: late })).status
    },
    without: 200,
    within: 302,
  },
  {
    setting: 'mfa.webauthnAllowInsecureOrigin',
    base: KEYS,
    changed: { mfa: { webauthnAllowInsecureOrigin: true } },
    async observe(world) {
      const ada = await member(world)
      const { publicKey } = readPageData(await ada.get(`${TWO}webauthn/add/`))
      const credential = softwareAuthenticator({ origin: 'http://elsewhere.test' }).create(publicKey)
      return (await ada.post(`${TWO}webauthn/add/`, { credential: JSON.stringify(credential) })).status
    },
    without: 200,
    within: 302,
  },
]

const TRUSTED: readonly Effect[] = [
  {
    setting: 'mfa.trustEnabled',
    base: ON,
    changed: TRUST,
    observe: async (world) => (await secondStep(world)).answer.location,
    without: HOME,
    within: `${TWO}trust/`,
  },
  {
    setting: 'account.loginByCodeTrustEnabled',
    base: { ...CODES, ...ON },
    changed: { account: { loginByCodeTrustEnabled: true } },
    async observe(world) {
      await world.addUser(ADA)
      const ada = world.visitor()
      await ada.login(ADA.username, PASSWORD)
      return (await ada.post('/accounts/login/code/confirm/', { code: await codeTo(world, ADA.email) })).location
    },
    without: HOME,
    within: `${TWO}trust/`,
  },
  {
    setting: 'mfa.trustCookieAge',
    base: TRUST,
    changed: { mfa: { trustCookieAge: 3_600 } },
    async observe(world) {
      const { visitor } = await logInTrustingBrowser(world)
      await visitor.post('/accounts/logout/')
      world.clock.advance(HOUR_MS)
      return (await visitor.login(ADA.username, PASSWORD)).location
    },
    without: HOME,
    within: `${TWO}authenticate/`,
  },
  trustCookieEffect('trustCookieName', { mfa: { trustCookieName: 'known' } }, /^known=/),
  trustCookieEffect(
    'trustCookieDomain',
    { mfa: { trustCookieDomain: 'auth.test' } },
    /^mfa_trusted=.*; Domain=auth\.test/,
  ),
  trustCookieEffect('trustCookieHttponly', { mfa: { trustCookieHttponly: false } }, /^mfa_trusted=(?!.*HttpOnly)/),
  trustCookieEffect(
    'trustCookiePath',
    { mfa: { trustCookiePath: '/accounts/' } },
    /^mfa_trusted=.*; Path=\/accounts\//,
  ),
  trustCookieEffect(
    'trustCookieSamesite',
    { mfa: { trustCookieSamesite: 'Strict' } },
    /^mfa_trusted=.*; SameSite=Strict/,
  ),
  trustCookieEffect('trustCookieSecure', { mfa: { trustCookieSecure: true } }, /^mfa_trusted=.*; Secure/),
]

const SESSIONS: readonly Effect[] = [
  {
    setting: 'usersessions.enabled',
    changed: { usersessions: { enabled: true } },
    observe: (world) => statusFor(world, '/accounts/sessions/'),
    without: 404,
    within: 200,
  },
  {
    setting: 'usersessions.trackActivity',
    base: { usersessions: { enabled: true } },
    changed: { usersessions: { trackActivity: true } },
    async observe(world) {
      const seen: string[] = []
      world.auth.signals.on('session_client_changed', ({ to_session: { userAgent } }) => void seen.push(userAgent))
      const ada = await member(world)
      await ada.get('/accounts/email/', { 'user-agent': 'Other/2' })
      return seen
    },
    without: [],
    within: ['Other/2'],
  },
]

/** The effects of settings about second factors, trusted browsers, and sessions. */
export const SECOND_FACTOR_EFFECTS: readonly Effect[] = [...FACTORS, ...APPS, ...TRUSTED, ...SESSIONS]
