import { checkedUrl, isOnThisMachine } from '../wire/server-url.ts'

/** A base URL that Weixin named, without a trailing slash; `null` when nothing may be sent there. */
export const checkedBase = (given: string, configured: string): string | null =>
  checkedUrl(given, 'web', { configured })?.href.replace(/\/+$/, '') ?? null

/** The base URL of a host that Weixin named, `host` or `host:port`; `null` as for `checkedBase`. */
export function checkedHost(host: string, configured: string): string | null {
  if (!/^[\w.-]{1,253}(?::\d{1,5})?$/.test(host)) return null
  return checkedBase(`${isOnThisMachine(configured) ? new URL(configured).protocol : 'https:'}//${host}`, configured)
}
