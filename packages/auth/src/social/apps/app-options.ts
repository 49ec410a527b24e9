import { isRecord } from '../../kernel/settings/kind.ts'
import { type ExchangeStart, ProviderError } from '../exchange.ts'
import type { SocialApp } from './social-apps.ts'

/** Returns an option of the app or else of the provider's settings, where its name is in upper case. */
export function readAppOption(app: SocialApp, name: string, settingsName: string = name.toUpperCase()): unknown {
  return app.settings[name] ?? app.providerSettings[settingsName]
}

/** Returns a text option; an empty string if it isn't set. */
export function readTextOption(app: SocialApp, name: string, settingsName?: string): string {
  const value = readAppOption(app, name, settingsName)
  return typeof value === 'string' ? value : ''
}

/** Returns the scopes to request: of the app, settings, or provider, then of the request, without duplicates. */
export function resolveScopes(app: SocialApp, defaults: readonly string[], start: ExchangeStart): readonly string[] {
  const set = readAppOption(app, 'scope')
  const listed = typeof set === 'string' ? set.split(/[\s,]+/) : Array.isArray(set) ? set : defaults
  const texts = listed.filter((scope): scope is string => typeof scope === 'string' && scope !== '')
  return [...new Set([...texts, ...start.scope])]
}

/** Parameters that protect the handshake, or could override it (RFC 9101); settings and visitors can't change them. */
const RESERVED: ReadonlySet<string> = new Set([
  'client_id',
  'client_secret',
  'redirect_uri',
  'response_type',
  'response_mode',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'request',
  'request_uri',
])

/** Returns the parameters for the provider's page: of its record, app or settings, and request; the last wins. */
export function resolveAuthParams(
  app: SocialApp,
  fixed: Readonly<Record<string, string>>,
  start: ExchangeStart,
): Readonly<Record<string, string>> {
  const set = readAppOption(app, 'auth_params')
  const texts = isRecord(set) ? Object.entries(set).filter(([, value]) => isPlain(value)) : []
  const given = [...texts.map(([name, value]) => [name, String(value)] as const), ...Object.entries(start.authParams)]
  return { ...fixed, ...Object.fromEntries(given.filter(([name]) => !RESERVED.has(name))) }
}

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

/**
 * Returns a URL of the provider: from `endpoints` of the app or the settings, or else `fallback`.
 * @throws {ProviderError} `unknown` for an override that is neither https nor on loopback
 */
export function resolveEndpoint(app: SocialApp, name: string, fallback: string): string {
  for (const options of [app.settings['endpoints'], app.providerSettings['endpoints']]) {
    const value = isRecord(options) ? options[name] : undefined
    if (typeof value === 'string' && value !== '') return requireSafeAddress(value, `endpoints.${name}`)
  }
  return fallback
}

/** Returns a URL that an operator configured, if it's https, or http on loopback. @throws {ProviderError} `unknown` */
export function requireSafeAddress(address: string, setting: string): string {
  const url = URL.parse(address)
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))) return address
  throw new ProviderError('unknown', `${setting} must be an https address`)
}

/** Returns whether a host is local: `localhost`, `*.localhost`, `127.0.0.0/8`, `[::1]`. @see RFC 6761 section 6.3 */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d+){3}$/.test(hostname)
  )
}
