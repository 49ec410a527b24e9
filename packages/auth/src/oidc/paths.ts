import type { AuthSettings } from '../kernel/settings/settings.ts'

/** Addresses of the protocol. `device`, `logout` and `interaction` are pages. */
const PATHS = {
  discovery: '/.well-known/openid-configuration',
  /** @see RFC 8414 section 3 */
  metadata: '/.well-known/oauth-authorization-server',
  jwks: '/.well-known/jwks.json',
  authorize: '/identity/o/authorize',
  token: '/identity/o/api/token',
  userinfo: '/identity/o/api/userinfo',
  revoke: '/identity/o/api/revoke',
  introspect: '/identity/o/api/introspect',
  deviceCode: '/identity/o/api/device/code',
  register: '/identity/o/api/register',
  device: '/identity/o/device',
  logout: '/identity/o/logout',
  interaction: '/identity/o/interaction/',
} as const

/** The addresses of one site. */
export interface OidcPaths extends Readonly<Record<keyof typeof PATHS, string>> {
  /** What stands in front of each of them; empty: nothing. */
  readonly mount: string
  /** The uid of an authorization that goes on here, or `null`. */
  resumedUid(pathname: string): string | null
  /** The id of the client that is managed here (RFC 7592), as it stands in the path, or `null`. */
  registeredId(pathname: string): string | null
}

/** @param mount Path in front of the addresses, without a slash at its end: where a proxy shows the site below a path. */
export function oidcPaths(mount: string): OidcPaths {
  const at = (path: string): string => `${mount}${path}`
  const authorize = at(PATHS.authorize)
  const register = at(PATHS.register)
  const below = (path: string, pathname: string, form: RegExp): string | null =>
    pathname.startsWith(`${path}/`) ? (form.exec(pathname.slice(path.length + 1))?.[0] ?? null) : null
  return {
    mount,
    discovery: at(PATHS.discovery),
    metadata: at(PATHS.metadata),
    jwks: at(PATHS.jwks),
    authorize,
    token: at(PATHS.token),
    userinfo: at(PATHS.userinfo),
    revoke: at(PATHS.revoke),
    introspect: at(PATHS.introspect),
    deviceCode: at(PATHS.deviceCode),
    register,
    device: at(PATHS.device),
    logout: at(PATHS.logout),
    interaction: at(PATHS.interaction),
    resumedUid: (pathname) => below(authorize, pathname, /^[\w-]{20,100}$/),
    registeredId: (pathname) => below(register, pathname, /^[!-.0-~]{1,300}$/),
  }
}

/** Whether the userinfo endpoint is ours. */
export const hasUserinfo = ({ idpOidc }: AuthSettings): boolean => idpOidc.userinfoEndpoint === null

/** What the engine answers under these settings. */
export function protocolPaths(settings: AuthSettings, paths: OidcPaths): Pick<ReadonlySet<string>, 'has'> {
  const { enabled, dynamicClientRegistrationEnabled: canRegister } = settings.idpOidc
  const { discovery, metadata, jwks, authorize, token, revoke, introspect, deviceCode } = paths
  const exact = new Set([discovery, metadata, jwks, authorize, token, revoke, introspect, deviceCode])
  return {
    has: (pathname) =>
      enabled &&
      (exact.has(pathname) ||
        (pathname === paths.userinfo && hasUserinfo(settings)) ||
        paths.resumedUid(pathname) !== null ||
        (canRegister && (pathname === paths.register || paths.registeredId(pathname) !== null))),
  }
}
