import { checkedUrl } from '../wire/server-url.ts'

/** Where Discord's own addresses lead. */
const DOMAINS = ['discord.com', 'discord.gg', 'discordapp.com', 'discordapp.net', 'discord.media']

/** Whether an address that the server supplied may be opened. @param apiUrl The configured REST interface. */
export const isTrusted = (url: string, kind: 'web' | 'socket', apiUrl: string): boolean =>
  checkedUrl(url, kind, { configured: apiUrl, domains: DOMAINS }) !== null
