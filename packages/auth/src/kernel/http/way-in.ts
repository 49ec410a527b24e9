import type { Kernel } from '../kernel.ts'
import type { AuthSettings } from '../settings/settings.ts'
import { bareResponse } from './bare-response.ts'

type Settings = AuthSettings

/** Redirects http requests where the settings require https (301); `null` if no redirect is needed. */
export function redirectToHttps(settings: Settings, request: Request, url: URL): Response | null {
  if (!settings.secureSslRedirect || !isPlainHttp(request, settings.trustedProxyCount)) return null
  const location = url.href.replace(/^http:/, 'https:')
  return bareResponse(new Response(null, { status: 301, headers: { location } }))
}

/** Creates a check that warns once about a proxy missing from the settings, which makes all visitors share its address. */
export function createProxyWarning({ settings, log }: Pick<Kernel, 'settings' | 'log'>): (request: Request) => void {
  let isSaid = settings.trustedProxyCount > 0 || settings.trustedClientIpHeader !== null
  return (request) => {
    if (isSaid || !request.headers.has('x-forwarded-for')) return
    isSaid = true
    log.warn(
      'A request came with X-Forwarded-For, which is not trusted: behind a proxy of your own set GATEPOST_TRUSTED_PROXY_COUNT, else all visitors share the rate limits of its address.',
    )
  }
}

/** How the visitor came, whatever addresses are built with: the proxy in front says it, where one is trusted. */
function isPlainHttp(request: Request, trustedProxyCount: number): boolean {
  const told = trustedProxyCount > 0 ? request.headers.get('x-forwarded-proto') : null
  const scheme = told?.split(',').at(-1)?.trim().toLowerCase() ?? new URL(request.url).protocol.slice(0, -1)
  return scheme === 'http'
}
