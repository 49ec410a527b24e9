import { isIP } from 'node:net'

/** Where Discord's own addresses lead. */
const SUFFIXES = ['discord.com', 'discord.gg', 'discordapp.com', 'discordapp.net', 'discord.media']

/**
 * Whether an address that the server supplied may be opened. With Discord itself only encrypted addresses of Discord's
 * are; a stand-in on this machine may name any on this machine too.
 * @param apiUrl The configured REST interface.
 */
export function isTrusted(url: string, kind: 'web' | 'socket', apiUrl: string): boolean {
  if (url.length > 4_096 || !URL.canParse(url)) return false
  const { protocol, hostname, username, password, hash } = new URL(url)
  if (username !== '' || password !== '' || hash !== '') return false
  const [secure, plain] = kind === 'web' ? ['https:', 'http:'] : ['wss:', 'ws:']
  const apiHost = URL.canParse(apiUrl) ? new URL(apiUrl).hostname : ''
  if (isLoopback(apiHost)) return protocol === secure || protocol === plain
  if (protocol !== secure) return false
  if (isDiscords(apiHost)) return isDiscords(hostname)
  // a relay with a name of its own: no addresses of this machine or its network
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 && hostname.includes('.') && !hostname.endsWith('.local')
}

const isDiscords = (host: string): boolean => SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`))

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'))
