import type { Core } from '../core.ts'
import { visitorUrls } from '../kernel/http/visitor-url.ts'
import type { AuthOptions } from '../options.ts'
import { createConsents } from './consents.ts'
import { fewAtOnce } from './engine/few-at-once.ts'
import { createOidcAdapter } from './hooks.ts'
import type { Oidc, OidcEngine } from './oidc.ts'
import { sqlOidcClients } from './oidc-clients.sql.ts'
import { oidcPaths, protocolPaths } from './paths.ts'
import { createSigningKeys } from './signing-keys.ts'
import { tokenRows } from './token-rows.sql.ts'
import { createTokens } from './tokens.ts'

type Options<Tables> = Pick<AuthOptions<Tables>, 'adapters' | 'origin' | 'oidc'>

/** Each is a password hash: as many as make use of all processors. */
const SECRETS_AT_ONCE = 4

/** Our OpenID Connect provider. @param core Asked at each call: it is part of it. */
export function createOidc<Tables>(core: () => Core, options: Options<Tables>, settings: Core['settings']): Oidc {
  const rows = once(() => tokenRows(core()))
  const consents = once(() => createConsents(core()))
  const keys = once(() => createSigningKeys(core()))
  const tokens = createTokens(core, rows, consents)
  let engine: Promise<OidcEngine> | null = null
  const open = async (): Promise<OidcEngine> => {
    const { createEngine } = await import('./engine/engine.ts')
    const checkingSecrets = fewAtOnce(SECRETS_AT_ONCE)
    const locate = visitorUrls({
      origin: options.origin ?? null,
      allowedHosts: settings.allowedHosts,
      protocol: settings.account.defaultHttpProtocol,
    })
    const parts = { core: core(), locate, rows: rows(), tokens, consents: consents(), keys: keys() }
    const { resources = [], registrationScopes = ['openid', 'email', 'profile'] } = options.oidc ?? {}
    return createEngine({ ...parts, checkingSecrets, resources, registrationScopes })
  }
  const paths = oidcPaths(options.oidc?.mount ?? '')
  const adapter = createOidcAdapter(core, options.adapters?.oidc)
  return {
    adapter,
    clients: sqlOidcClients(core),
    tokens,
    paths,
    protocolPaths: protocolPaths(settings, paths),
    issuer: (url) => adapter.getIssuer(`${url.origin}${paths.mount}`),
    engine: () => (engine ??= open()),
    rotateKey: () => keys().rotate(),
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => (made ??= { value: make() }).value
}
