import type { AuthorizationServer } from 'oauth4webapi'
import { isLoopback, requireSafeAddress, textOptionOf } from '../apps/app-options.ts'
import { clockedCache } from '../wire/clocked-cache.ts'
import { type ExchangeCall, ProviderError } from '../exchange.ts'
import { askProvider, goodObjectOf } from '../wire/provider-reply.ts'

/** A provider's document, checked: these members are there. */
export type Discovered = AuthorizationServer & {
  readonly authorization_endpoint: string
  readonly token_endpoint: string
  readonly jwks_uri: string
}

const WELL_KNOWN = '/.well-known/'
const LIFE_MS = 10 * 60_000
const REQUIRED = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const
const what = 'the request for the configuration'

const cached = clockedCache<Discovered>(200)

/**
 * What the provider of an app says about itself; kept for ten minutes.
 * @throws {ProviderError} `unknown`
 * @see OpenID Connect Discovery 1.0, sections 3 and 4
 */
export async function discover({ io, app }: Pick<ExchangeCall, 'io' | 'app'>): Promise<Discovered> {
  const serverUrl = requireSafeAddress(textOptionOf(app, 'server_url'), 'server_url')
  const isDocument = serverUrl.includes(WELL_KNOWN)
  const address = isDocument ? serverUrl : `${withoutSlash(serverUrl)}${WELL_KNOWN}openid-configuration`
  const known = cached.get(io.clock, address)
  if (known !== null) return known.value
  const document = goodObjectOf(await askProvider(io, new Request(address), what), what)
  const { issuer } = document
  if (typeof issuer !== 'string' || issuer === '') throw new ProviderError('unknown', `${what}: it names no issuer`)
  // Whoever gives the address of the document itself may have it elsewhere than the issuer is.
  if (!isDocument && withoutSlash(issuer) !== withoutSlash(serverUrl)) {
    throw new ProviderError('unknown', `${what}: it is of another issuer than server_url`)
  }
  for (const name of document['userinfo_endpoint'] === undefined ? REQUIRED : [...REQUIRED, 'userinfo_endpoint']) {
    const endpoint = requireSafeAddress(String(document[name]), name)
    // A provider elsewhere does not lead us to this machine.
    if (!mayBeInsecure(serverUrl) && mayBeInsecure(endpoint))
      throw new ProviderError('unknown', `${name} is on this machine`)
  }
  // What was read above; the rest is checked where it is used.
  const found = { ...document, issuer } as unknown as Discovered
  cached.set(io.clock, address, found, LIFE_MS)
  return found
}

const withoutSlash = (address: string): string => address.replace(/\/+$/, '')

/** Whether http is allowed: only for a provider on this machine. */
export const mayBeInsecure = (address: string): boolean => isLoopback(new URL(address).hostname)
