import type { AuthSettings } from '../kernel/settings/settings.ts'

/** The protocol's paths. `device`, `logout`, and `interaction` are pages. */
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

/** The protocol's paths on a site. */
export interface OidcPaths extends Readonly<Record<keyof typeof PATHS, string>> {
  /** The prefix of all paths; empty if there's none. */
  readonly mount: string
  /** Returns the ID of the authorization that continues at this path, or `null`. */
  resumedUid(pathname: string): string | null
  /** Returns the ID of the client that's managed at this path (RFC 7592), still encoded, or `null`. */
  registeredId(pathname: string): string | null
}

/** Returns the paths of a site. @param mount Path that a proxy serves the site under, without a trailing slash. */
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

/** Returns whether the built-in userinfo endpoint is used. */
export const hasUserinfo = ({ idpOidc }: AuthSettings): boolean => idpOidc.userinfoEndpoint === null

/** Returns the paths that the engine handles with these settings. */
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
