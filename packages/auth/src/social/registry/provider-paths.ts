import type { ProviderEntry } from './provider-entry.ts'
import type { SocialApp } from '../apps/social-apps.ts'

/** Where an app's login begins and ends: paths of ours. */
export interface ProviderPaths {
  readonly loginPath: string
  readonly callbackPath: string
}

/** What the paths are made of: `pathPrefix` and `SOCIALACCOUNT_OPENID_CONNECT_URL_PREFIX`. */
interface PathSettings {
  readonly pathPrefix: string
  readonly socialaccount: { readonly openidConnectUrlPrefix: string }
}

/** Below the mount point, with the parameters of `entry` still in it: OpenID Connect has a prefix of its own. */
export function mountedPath(settings: PathSettings, entry: ProviderEntry, path: string): string {
  if (entry.protocol !== 'oidc') return path
  const { openidConnectUrlPrefix: prefix } = settings.socialaccount
  return path.replace(/^oidc\//, prefix === '' ? '' : `${prefix}/`)
}

/** The paths of an app. */
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
