import type { ProviderEntry } from './provider-entry.ts'
import type { SocialApp } from '../apps/social-apps.ts'

/** Paths on this site where an app's login starts and ends. */
export interface ProviderPaths {
  readonly loginPath: string
  readonly callbackPath: string
}

/** Settings that paths depend on: `pathPrefix` and `SOCIALACCOUNT_OPENID_CONNECT_URL_PREFIX`. */
interface PathSettings {
  readonly pathPrefix: string
  readonly socialaccount: { readonly openidConnectUrlPrefix: string }
}

/** Returns a path pattern below the mount point. OpenID Connect has its own prefix. */
export function mountedPath(settings: PathSettings, entry: ProviderEntry, path: string): string {
  if (entry.protocol !== 'oidc') return path
  const { openidConnectUrlPrefix: prefix } = settings.socialaccount
  return path.replace(/^oidc\//, prefix === '' ? '' : `${prefix}/`)
}

/** Returns the paths of an app. */
export function providerPaths(
  settings: PathSettings,
  entry: ProviderEntry,
  { providerId, clientId }: Pick<SocialApp, 'providerId' | 'clientId'>,
): ProviderPaths {
  const path = (pattern: string): string =>
    settings.pathPrefix +
    mountedPath(settings, entry, pattern)
      .replaceAll('{provider_id}', encodeURIComponent(providerId))
      .replaceAll('{organization_slug}', encodeURIComponent(clientId))
  return { loginPath: path(entry.loginPath), callbackPath: path(entry.callbackPath) }
}
