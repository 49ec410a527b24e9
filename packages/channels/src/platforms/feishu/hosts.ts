import { isIP } from 'node:net'
import type { PlatformIo } from '../../platform.ts'

/** Hosts of the two brands; a setting or the stored `domain` takes their place. */
export const FEISHU_API = 'https://open.feishu.cn'
export const LARK_API = 'https://open.larksuite.com'
export const FEISHU_ACCOUNTS = 'https://accounts.feishu.cn'
export const LARK_ACCOUNTS = 'https://accounts.larksuite.com'

/** Where the API is when no `domain` is stored, without a trailing slash. */
export const feishuApi = (io: Pick<PlatformIo, 'host'>): string => io.host('GATEPOST_FEISHU_API_URL', FEISHU_API)

/** The developer console's page of an app. */
export const consolePage = (base: string, appId: string, page: string): string =>
  `${base === LARK_API ? LARK_API : FEISHU_API}/app/${appId}/${page}`

/**
 * Whether an address that the platform named may be opened: encrypted and public, unless the platform itself is asked on
 * this machine (an emulator).
 * @param schemes Plain and encrypted, e.g. `['ws:', 'wss:']`.
 */
export function mayOpen(address: string, base: string, schemes: readonly [plain: string, encrypted: string]): boolean {
  if (!URL.canParse(address)) return false
  const url = new URL(address)
  if (url.username !== '' || url.password !== '') return false
  if (isLoopback(new URL(base).hostname)) return schemes.includes(url.protocol)
  return url.protocol === schemes[1] && !isPrivate(url.hostname)
}

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '').toLowerCase()

const isLoopback = (hostname: string): boolean => {
  const host = bare(hostname)
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '::1' ||
    (isIP(host) === 4 && host.startsWith('127.'))
  )
}

/** Addresses that mean a machine nearby; a name that leads to one is the resolver's business. */
const PRIVATE_V4 =
  /^(?:0|10|127)\.|^169\.254\.|^192\.168\.|^172\.(?:1[6-9]|2\d|3[01])\.|^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./

function isPrivate(hostname: string): boolean {
  const host = bare(hostname)
  if (isIP(host) === 4) return PRIVATE_V4.test(host)
  if (isIP(host) === 6) return /^(?:::|f[cd]|fe[89ab])/.test(host)
  return isLoopback(host) || !host.includes('.')
}
