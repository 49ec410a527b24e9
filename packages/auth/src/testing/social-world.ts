import { generateKeyPairSync } from 'node:crypto'
import {
  type EmulatedPerson,
  type IdentityProviderEmulator,
  identityProviderEmulator,
} from '@gatepost/emulators/identity-provider'
import { systemRandom } from '../kernel/io.ts'
import { type AuthWorld, authWorld, ORIGIN } from './auth-world.ts'
import type { Visited, Visitor } from './visitor.ts'

/** A site with emulated social login providers. */
export interface SocialWorld extends AuthWorld {
  readonly emulator: IdentityProviderEmulator
  /** Starts a login, agrees at the provider, and returns the callback's response. */
  through(visitor: Visitor, slug: string, query?: Readonly<Record<string, string>>): Promise<Visited>
  /** Returns the path and query of our callback to which the provider redirects from `location`. */
  agree(location: string | null): Promise<string>
  /** Returns the path and fields that Apple has the browser post to us. */
  agreeByForm(location: string | null): Promise<{ readonly path: string; readonly fields: Record<string, string> }>
}

export const GRACE: EmulatedPerson = {
  id: '583231',
  email: 'grace@example.org',
  emailVerified: true,
  username: 'grace',
  firstName: 'Grace',
  lastName: 'Hopper',
}

type Options = NonNullable<Parameters<typeof authWorld>[0]>

const SECRET = 'a made-up secret of an app'
const TEAM = 'TEAM123456'
const APPLE = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})
/** The callback path of each provider, below the mount point. */
const CALLBACKS: Readonly<Record<string, string>> = {
  google: 'google/login/callback/',
  github: 'github/login/callback/',
  twitter: 'twitter/login/callback/',
  openid_connect: 'oidc/acme/login/callback/',
  apple: 'apple/login/callback/',
  telegram: 'telegram/login/callback/',
}

/**
 * Returns the settings of the providers: Google and GitHub (OAuth 2), Twitter (OAuth 1), Apple (which posts), Acme
 * (OpenID Connect), Telegram, OpenID, and the dummy provider.
 */
export function providerSettings(emulator: IdentityProviderEmulator): Readonly<Record<string, unknown>> {
  const app = (provider: string): object => ({
    client_id: `client of ${provider}`,
    secret: SECRET,
    settings: { endpoints: emulator.endpoints(provider), ...emulator.setup(provider).appSettings },
  })
  return {
    google: { APP: app('google') },
    github: { APP: app('github') },
    twitter: { APP: app('twitter') },
    openid_connect: { APPS: [{ ...app('openid_connect'), provider_id: 'acme', name: 'Acme' }] },
    apple: {
      APP: { ...app('apple'), key: TEAM, settings: { certificate_key: APPLE.privateKey } },
    },
    telegram: { APP: app('telegram') },
    openid: {},
    dummy: {},
  }
}

/** Registers our apps with the emulator. */
export function registerApps(emulator: IdentityProviderEmulator, origin: string): void {
  for (const [provider, path] of Object.entries(CALLBACKS)) {
    const redirectUris = [`${origin}/accounts/${path}`]
    const more = provider === 'apple' ? { key: TEAM, publicKey: APPLE.publicKey } : {}
    emulator.addClient(provider, { clientId: `client of ${provider}`, secret: SECRET, redirectUris, ...more })
  }
  emulator.signIn(GRACE)
}

/** Creates a world with emulated providers. @param open One of `testDatabases`; default: SQLite. */
export async function socialWorld(options: Options = {}, open?: Parameters<typeof authWorld>[1]): Promise<SocialWorld> {
  let world: AuthWorld | null = null
  const now = (): number => world?.clock.now() ?? 0
  const emulator = identityProviderEmulator({ now, random: systemRandom })
  const { settings, adapters, ...others } = options
  const made = await authWorld(
    {
      ...others,
      settings: {
        ...settings,
        socialaccount: { enabled: true, providers: providerSettings(emulator), ...settings?.socialaccount },
      },
      adapters: {
        ...adapters,
        social: adapters?.social ?? { getRequestsSession: () => (request) => emulator.fetch(request) },
      },
    },
    open,
  )
  world = made
  registerApps(emulator, ORIGIN)
  const agree = async (location: string | null): Promise<string> => {
    const answer = await emulator.fetch(new Request(location ?? 'about:blank', { redirect: 'manual' }))
    const back = answer.headers.get('location')
    if (back === null) throw new Error(`unexpected response from ${location}: ${answer.status} ${await answer.text()}`)
    return back.startsWith(ORIGIN) ? back.slice(ORIGIN.length) : back
  }
  return {
    ...made,
    emulator,
    agree,
    async agreeByForm(location) {
      const answer = await emulator.fetch(new Request(location ?? 'about:blank'))
      const html = await answer.text()
      const inputs = html.matchAll(/name="([^"]*)" value="([^"]*)"/g)
      const plain = (text: string): string =>
        text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')
      const action = new URL(plain(/action="([^"]*)"/.exec(html)?.[1] ?? ''))
      const fields = Object.fromEntries(Array.from(inputs, ([, name = '', value = '']) => [name, plain(value)]))
      return { path: `${action.pathname}${action.search}`, fields }
    },
    async through(visitor, slug, query = {}) {
      const begun = await visitor.post(`/accounts/${slug}/login/?${new URLSearchParams(query).toString()}`)
      return begun.status === 302 ? visitor.get(await agree(begun.location)) : begun
    },
  }
}
