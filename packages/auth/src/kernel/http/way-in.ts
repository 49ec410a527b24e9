import type { Kernel } from '../kernel.ts'
import type { AuthSettings } from '../settings/settings.ts'
import { bareResponse } from './bare-response.ts'

type Settings = AuthSettings

/** Sends on who came by http where the settings want https (301); `null`: nobody has to go anywhere. */
export function wayToHttps(settings: Settings, request: Request, url: URL): Response | null {
  if (!settings.secureSslRedirect || !cameByHttp(request, settings.trustedProxyCount)) return null
  const location = url.href.replace(/^http:/, 'https:')
  return bareResponse(new Response(null, { status: 301, headers: { location } }))
}

/** Says once that a proxy seems to be in front which the settings know nothing of: all visitors have its address. */
export function forwarderWarning({ settings, log }: Pick<Kernel, 'settings' | 'log'>): (request: Request) => void {
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
function cameByHttp(request: Request, trustedProxyCount: number): boolean {
  const told = trustedProxyCount > 0 ? request.headers.get('x-forwarded-proto') : null
  const scheme = told?.split(',').at(-1)?.trim().toLowerCase() ?? new URL(request.url).protocol.slice(0, -1)
  return scheme === 'http'
}
