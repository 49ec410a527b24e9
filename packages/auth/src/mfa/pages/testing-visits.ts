import { TOTP, URI } from 'otpauth'
import { authWorld, type AuthWorld, ORIGIN } from '../../testing/auth-world.ts'
import { type SoftwareAuthenticator, softwareAuthenticator } from '../../testing/authenticator.ts'
import type { Visited, Visitor } from '../../testing/visitor.ts'
import type { AuthOptions } from '../../options.ts'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import type { AuthTables } from '../../kernel/schema/tables.ts'

export const PASSWORD = 'a made-up pass phrase'
export const ADA = { username: 'ada', email: 'ada@example.org', password: PASSWORD }
export const TWO = '/accounts/2fa/'
export const LOGIN = '/accounts/login/'

const ALL: NonNullable<AuthSettingsInput['mfa']> = {
  enabled: true,
  supportedTypes: ['recovery_codes', 'totp', 'webauthn'],
  passkeyLoginEnabled: true,
}

/** A site with every second factor. */
export const secondStepWorld = (
  settings: AuthSettingsInput = {},
  adapters: AuthOptions<AuthTables>['adapters'] = {},
  open?: Parameters<typeof authWorld>[1],
): Promise<AuthWorld> =>
  authWorld({ settings: { ...settings, mfa: withAllFactors(settings.mfa) }, adapters: { ...adapters } }, open)

const withAllFactors = (mfa: typeof ALL = {}): typeof ALL => (mfa.enabled === false ? mfa : { ...ALL, ...mfa })

/** Ada, signed in by password. */
export async function ada(world: AuthWorld, user: Partial<Parameters<AuthWorld['addUser']>[0]> = {}): Promise<Visitor> {
  await world.addUser({ ...ADA, ...user })
  const visitor = world.visitor()
  await visitor.login(ADA.username, PASSWORD)
  return visitor
}

/** The JSON block of a page. */
export function readPageData({ html }: Visited): { readonly publicKey: Readonly<Record<string, unknown>> } {
  const block = /<script type="application\/json"[^>]*>([\s\S]*?)<\/script>/.exec(html)?.[1]
  const data: unknown = JSON.parse(block ?? '{}')
  const options = Object.values(data as Record<string, { publicKey: Record<string, unknown> }>)[0] // as the pages write it
  if (options === undefined) throw new Error('the page has no options')
  return options
}

/** What an authenticator app shows that has the secret of the page. */
export function totpAppFromPage({ html }: Visited, world: AuthWorld): () => string {
  const url = /href="(otpauth:[^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const totp = URI.parse(url)
  if (!(totp instanceof TOTP)) throw new Error('the page has no secret')
  return () => totp.generate({ timestamp: world.clock.now() })
}

/** Sets an app up, and lets its codes be new. */
export async function addApp(world: AuthWorld, visitor: Visitor): Promise<() => string> {
  const app = totpAppFromPage(await visitor.get(`${TWO}totp/activate/`), world)
  await visitor.post(`${TWO}totp/activate/`, { code: app() })
  world.clock.advance(30_000)
  return app
}

/** Adds a key, or a passkey. */
export async function addKey(
  visitor: Visitor,
  { name = 'Blue key', passkey = false }: { readonly name?: string; readonly passkey?: boolean } = {},
): Promise<SoftwareAuthenticator> {
  const device = softwareAuthenticator({ origin: ORIGIN })
  const { publicKey } = readPageData(await visitor.get(`${TWO}webauthn/add/`))
  const chosen = passkey ? { authenticatorSelection: { residentKey: 'required', userVerification: 'required' } } : {}
  const credential = JSON.stringify(device.create({ ...publicKey, ...chosen }))
  await visitor.post(`${TWO}webauthn/add/`, { name, credential, ...(passkey ? { passwordless: 'on' } : {}) })
  return device
}

/** The recovery codes that a page shows. */
export const readRecoveryCodes = ({ html }: Visited): readonly string[] =>
  Array.from(/<ul class="auth-codes"[\s\S]*?<\/ul>/.exec(html)?.[0].matchAll(/<li>([^<]*)<\/li>/g) ?? [], ([, code]) =>
    String(code),
  )
