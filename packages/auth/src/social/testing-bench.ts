import type { Auth } from '../auth.ts'
import type { testDatabases } from '@gatepost/sql/testing'
import type { AuthOptions } from '../options.ts'
import type { Visit } from '../kernel/visit.ts'
import type { AuthTables } from '../kernel/schema/tables.ts'
import type { AuthSettingsInput } from '../kernel/settings/settings.ts'
import { type AuthWorld, authWorld, ORIGIN } from '../testing/auth-world.ts'
import { cookieJar } from '../testing/cookie-jar.ts'
import type { SocialAdapterInput } from './adapter.ts'
import { createSocial } from './module.ts'
import { ProviderError, type Exchange, type ProviderIdentity } from './exchange.ts'
import type { Provider } from './provider.ts'
import { PROVIDER_ENTRIES } from './registry/provider-entries.ts'
import type { ProviderRecord } from './registry/provider-record.ts'
import type { Social, SocialStart } from './social-accounts.ts'

type Open = (typeof testDatabases)[number][1]
type Options = Omit<AuthOptions<AuthTables>, 'database' | 'secretKey' | 'clock' | 'mail' | 'log'>
type Finished = Awaited<ReturnType<Social['finish']>>

/** Apps at two providers, as an operator has them in the settings. */
export const PROVIDERS = {
  google: { APP: { client_id: 'google-app', secret: 'google-app-secret' } },
  github: { APP: { client_id: 'github-app', secret: 'github-app-secret' } },
  twitter: { APP: { client_id: 'twitter-app', secret: 'twitter-app-secret' } },
} as const

/** One browser. */
export interface SocialBrowser {
  /** Runs flows for one request of it. */
  run<R>(work: (request: Visit, social: Social) => Promise<R>): Promise<R>
  /** Goes to a provider. @returns where it was sent */
  leave(provider: string, start?: Partial<SocialStart>): Promise<URL>
  /** Comes back. */
  comeBack(provider: string, params: Readonly<Record<string, string>>): Promise<Finished>
  /** Goes to a provider and comes back as somebody. */
  visit(provider: string, as: SomebodyThere, start?: Partial<SocialStart>): Promise<Finished>
  /** What it sends. */
  cookies(): string
  /** Name of who is signed in. */
  whoami(): Promise<string | null>
}

/** Who somebody is at a provider; what is left out is empty. */
export type SomebodyThere = Partial<ProviderIdentity> & { readonly uid: string }

/** A world whose providers are played by the test. */
export interface SocialBench {
  readonly world: AuthWorld
  readonly auth: Auth
  browser(): SocialBrowser
  /** Makes an id token of somebody; `jti` names it. */
  idToken(as: SomebodyThere, jti?: string): string
}

export const START: SocialStart = {
  process: 'login',
  next: null,
  action: 'authenticate',
  scope: [],
  authParams: {},
  query: new URLSearchParams(),
}

/** A world with these settings, and `PROVIDERS` unless they name others. */
export async function socialBench(
  settings: AuthSettingsInput = {},
  { open, ...options }: Partial<Options> & { readonly open?: Open } = {},
): Promise<SocialBench> {
  const socialaccount = { enabled: true, providers: PROVIDERS, ...settings.socialaccount }
  const world = await authWorld({ ...options, settings: { ...settings, socialaccount } }, open)
  return { world, auth: world.auth, ...playProviders(world, options.adapters?.social) }
}

/** Plays the providers of a world. @param hooks Of the host, once more. */
export function playProviders(world: AuthWorld, hooks?: SocialAdapterInput): Pick<SocialBench, 'browser' | 'idToken'> {
  const { auth } = world
  const people = new Map<string, SomebodyThere>()
  const exchange = playedExchange(people)
  const social = createSocial(auth.account, hooks, {
    entries: PROVIDER_ENTRIES,
    record: (id) => Promise.resolve(sampleProviderRecord(id)),
    exchange: () => Promise.resolve(exchange),
  })
  // The pages keep the object that they were made with.
  Object.assign(auth.module('social'), social)
  const named = (as: SomebodyThere, name = `${people.size}`): string => {
    people.set(name, as)
    return name
  }
  return { browser: () => createSocialBrowser(world, named), idToken: named }
}

function sampleProviderRecord(id: string): ProviderRecord {
  const entry = PROVIDER_ENTRIES.find((known) => known.id === id)
  return { ...entry, source: 'https://provider.test/' } as unknown as ProviderRecord // its data is the exchange's alone
}

/** A provider that tells by `code` and by id token who somebody is, and takes back what it gave. */
function playedExchange(people: ReadonlyMap<string, SomebodyThere>): Exchange {
  const tell = (name: string | null | undefined): ProviderIdentity => {
    const person = people.get(name ?? '')
    if (person === undefined) throw new ProviderError('unknown', 'there is no such code')
    return { ...NOBODY, ...person }
  }
  return {
    begin: (call, { state }) => {
      const url = new URL('https://provider.test/authorize')
      url.search = String(new URLSearchParams({ state, redirect_uri: call.redirectUri, client_id: call.app.clientId }))
      return Promise.resolve({ url: url.href, kept: { verifier: `verifier of ${state}` } })
    },
    async finish(_call, { params, kept }) {
      if (params.get('error') === 'access_denied') throw new ProviderError('cancelled', 'access_denied')
      const state = params.get('state')
      if (state !== null && kept['verifier'] !== `verifier of ${state}`) {
        throw new ProviderError('unknown', 'another handshake was kept')
      }
      return tell(params.get('code'))
    },
    async verifyToken(_call, { idToken = '' }) {
      return { ...tell(idToken), replay: { issuer: 'https://provider.test', jti: idToken, expiresAtMs: 2 ** 42 } }
    },
  }
}

const NOBODY: ProviderIdentity = {
  uid: '',
  extraData: {},
  username: '',
  firstName: '',
  lastName: '',
  name: '',
  emails: [],
  phone: null,
  tokens: null,
}

/** One address, as most providers tell it. */
export const singleEmail = (email: string, verified = true): ProviderIdentity['emails'] => [
  { email, verified, primary: true },
]

function createSocialBrowser({ auth }: AuthWorld, named: (as: SomebodyThere) => string): SocialBrowser {
  const jar = cookieJar()
  const run: SocialBrowser['run'] = async (work) => {
    const cookie = jar.header()
    const request = new Request(`${ORIGIN}/accounts/somewhere/`, { headers: cookie === '' ? {} : { cookie } })
    const from = { remoteAddress: '192.0.2.1' }
    const { result, headers } = await auth.visit(request, from, (visit) => work(visit, auth.module('social')))
    jar.keep(headers)
    return result
  }
  const getBenchProvider = (request: Visit, id: string): Promise<Provider> =>
    auth.module('social').adapter.getProvider(request, id)
  const leave: SocialBrowser['leave'] = (provider, start = {}) =>
    run(async (request, social) => {
      const url = await social.begin(request, await getBenchProvider(request, provider), { ...START, ...start })
      return new URL(url)
    })
  const comeBack: SocialBrowser['comeBack'] = (provider, params) =>
    run(async (request, social) =>
      social.finish(request, await getBenchProvider(request, provider), new URLSearchParams(params)),
    )
  return {
    run,
    leave,
    comeBack,
    async visit(provider, as, start) {
      const to = await leave(provider, start)
      return comeBack(provider, { state: to.searchParams.get('state') ?? '', code: named(as) })
    },
    cookies: () => jar.header(),
    whoami: () => run((request) => Promise.resolve(request.user?.username ?? null)),
  }
}
