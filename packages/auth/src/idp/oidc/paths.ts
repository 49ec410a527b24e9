import type { AuthSettings } from '../../settings/settings.ts'

/** Addresses of the protocol. `device`, `logout` and `interaction` are pages. */
export const PATHS = {
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

const EXACT: ReadonlySet<string> = new Set([
  PATHS.discovery,
  PATHS.metadata,
  PATHS.jwks,
  PATHS.authorize,
  PATHS.token,
  PATHS.revoke,
  PATHS.introspect,
  PATHS.deviceCode,
])
/** Where an authorization goes on after its interaction. */
const RESUME = new RegExp(`^${PATHS.authorize}/([\\w-]{20,100})$`)
/** Where a registered client manages itself (RFC 7592). */
const REGISTERED = new RegExp(`^${PATHS.register}/([!-.0-~]{1,300})$`)

/** The uid of an authorization that goes on here, or `null`. */
export const resumedUid = (pathname: string): string | null => RESUME.exec(pathname)?.[1] ?? null

/** The id of the client that is managed here, as it stands in the path, or `null`. */
export const registeredId = (pathname: string): string | null => REGISTERED.exec(pathname)?.[1] ?? null

/** Whether the userinfo endpoint is ours. */
export const hasUserinfo = ({ idpOidc }: AuthSettings): boolean => idpOidc.userinfoEndpoint === null

/** What the engine answers under these settings. */
export function protocolPaths(settings: AuthSettings): Pick<ReadonlySet<string>, 'has'> {
  const { enabled, dynamicClientRegistrationEnabled: canRegister } = settings.idpOidc
  return {
    has: (pathname) =>
      enabled &&
      (EXACT.has(pathname) ||
        (pathname === PATHS.userinfo && hasUserinfo(settings)) ||
        resumedUid(pathname) !== null ||
        (canRegister && (pathname === PATHS.register || registeredId(pathname) !== null))),
  }
}
