import { checkedUrl } from '../wire/server-url.ts'

/** Where Discord's own addresses lead. */
const DOMAINS = ['discord.com', 'discord.gg', 'discordapp.com', 'discordapp.net', 'discord.media']

/**
 * An address that the server supplied, in the form in which it may be opened; `null` when it may not.
 * @param apiUrl The configured REST interface.
 */
export const trustedUrl = (url: string, kind: 'web' | 'socket', apiUrl: string): string | null =>
  checkedUrl(url, kind, { configured: apiUrl, domains: DOMAINS })?.href ?? null

/** As `trustedUrl`, without a query: the library appends its own to the text, and what that spoils ends the process. */
export function trustedGateway(url: string, apiUrl: string): string | null {
  const trusted = trustedUrl(url, 'socket', apiUrl)
  return trusted?.replace(/[?#].*$/, '') ?? null
}
