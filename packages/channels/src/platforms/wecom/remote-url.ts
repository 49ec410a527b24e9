import { BlockList, isIP } from 'node:net'

const PRIVATE = new BlockList()
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['224.0.0.0', 3],
] as const)
  PRIVATE.addSubnet(net, prefix, 'ipv4')
for (const [net, prefix] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  PRIVATE.addSubnet(net, prefix, 'ipv6')

/** Whether this is a name or an address of this machine itself. */
export const isLoopbackHost = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)

/**
 * An address that the platform supplied, if it may be asked: https and no private address; `local` (the platform itself
 * is a stand-in on this machine): http as well, and this machine.
 */
export function checkedUrl(raw: string, local: boolean): URL | null {
  if (!URL.canParse(raw)) return null
  const url = new URL(raw)
  if (url.username !== '' || url.password !== '') return null
  if (url.protocol !== 'https:' && !(local && url.protocol === 'http:')) return null
  return isPrivate(url.hostname) && !(local && isLoopbackHost(url.hostname)) ? null : url
}

function isPrivate(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '')
  const version = isIP(bare)
  if (version !== 0) return PRIVATE.check(bare, version === 4 ? 'ipv4' : 'ipv6')
  return /(?:^|\.)(?:localhost|local|internal)\.?$/.test(bare)
}
