import { homedir } from 'node:os'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'

/** Parses an environment variable; `undefined` if the text isn't allowed. */
export type Parse<T> = (text: string) => T | undefined

/** A kind of assistant. */
export type AssistantKind = 'echo' | 'openai' | 'http' | 'command'
/** A log level. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Parses any text. */
export const anyText: Parse<string> = (text) => text

/** Parses printable ASCII without spaces. */
export const visibleAscii: Parse<string> = (text) => (/^[\x21-\x7e]+$/.test(text) ? text : undefined)

const parseWord =
  <T extends string>(...words: readonly T[]): Parse<T> =>
  (text) =>
    words.find((word) => word === text)

/** Parses a log level. */
export const logLevel: Parse<LogLevel> = parseWord('debug', 'info', 'warn', 'error')
/** Parses a kind of assistant. */
export const assistantName: Parse<AssistantKind> = parseWord('echo', 'openai', 'http', 'command')
/** Parses `open` or `closed`. */
export const openness: Parse<boolean> = (text) => ({ open: true, closed: false })[text]
/** Parses `on` or `off`. */
export const flag: Parse<boolean> = (text) => ({ on: true, off: false })[text]

/** Returns a parser for whole numbers from `min` to `max`. */
export const wholeNumber =
  (min: number, max: number): Parse<number> =>
  (text) => {
    if (!/^\d{1,9}$/.test(text)) return undefined
    const value = Number(text)
    return value >= min && value <= max ? value : undefined
  }

/** Parses a path into an absolute one; a leading `~/` stands for the home folder. */
export const path: Parse<string> = (text) => {
  if (text.includes('\0')) return undefined
  return resolve(text === '~' || text.startsWith('~/') ? join(homedir(), text.slice(1)) : text)
}

const HOST_NAME = /^(?=.{1,253}$)[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i
/** Parses an IP address or a host name. Removes IPv6 brackets. */
export const hostName: Parse<string> = (text) => {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text
  if (isIP(bare) !== 0) return bare
  // Digits and dots that aren't a valid address would be resolved by DNS, or mean an unexpected address.
  return HOST_NAME.test(bare) && !/^[\d.]+$/.test(bare) ? bare.toLowerCase() : undefined
}

const isServer = (entry: string): boolean => {
  const [address = '', prefix] = entry.split('/', 2)
  const version = isIP(address)
  if (entry !== `${address}${prefix === undefined ? '' : `/${prefix}`}`) return false
  if (prefix === undefined) return version !== 0 || hostName(entry) !== undefined
  return version !== 0 && wholeNumber(0, version === 6 ? 128 : 32)(prefix) !== undefined
}

/** Parses a list of host names, IP addresses and networks. */
export const serverList: Parse<readonly string[]> = (text) => {
  const entries = text.split(',').map((entry) => entry.trim())
  return entries.every(isServer) ? entries : undefined
}

/** Parses a list of environment variables that don't belong to the service. */
export const variableNames: Parse<readonly string[]> = (text) => {
  const names = text.split(',').map((name) => name.trim())
  return names.every((name) => /^(?!GATEPOST_)[a-z_]\w*$/i.test(name)) ? names : undefined
}

function plainUrl(text: string, protocols: readonly string[]): URL | undefined {
  const url = URL.parse(text)
  if (url === null || !protocols.includes(url.protocol)) return undefined
  return url.username === '' && url.password === '' && url.search === '' && url.hash === '' ? url : undefined
}
const withoutSlash = (url: URL | undefined): string | undefined => url?.href.replace(/\/+$/, '')

/** Parses an HTTP URL without user, query or fragment. Removes trailing slashes. */
export const httpUrl: Parse<string> = (text) => withoutSlash(plainUrl(text, ['http:', 'https:']))
/** Parses an HTTP URL that may have a query. */
export const endpointUrl: Parse<string> = (text) => {
  const url = URL.parse(text)
  const plain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  return plain ? url.href : undefined
}
/** Parses a WebSocket URL without user, query or fragment. */
export const webSocketUrl: Parse<string> = (text) => withoutSlash(plainUrl(text, ['ws:', 'wss:']))
/** Parses an HTTP origin with an optional path of unreserved characters. */
export const publicAddress: Parse<string> = (text) => {
  const url = plainUrl(text, ['http:', 'https:'])
  return url !== undefined && /^(\/[\w~.-]+)*\/?$/.test(url.pathname) ? withoutSlash(url) : undefined
}
/** Parses a PostgreSQL URL. */
export const postgresUrl: Parse<string> = (text) =>
  ['postgres:', 'postgresql:'].includes(URL.parse(text)?.protocol ?? '') ? text : undefined

/** Parses 32 bytes in base64 or base64url, padded or not. Returns unpadded base64url. */
export const key32: Parse<string> = (text) => {
  if (!/^[\w+/-]{43}=?$/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url') // reads both alphabets
  return bytes.length === 32 ? bytes.toString('base64url') : undefined
}

/** Parses one or more different keys of 32 bytes, separated by commas. */
export const secretKeyList: Parse<readonly [string, ...string[]]> = (text) => {
  const keys = text.split(',').map((key) => key32(key.trim()))
  const [newest, ...older] = keys.filter((key) => key !== undefined)
  const isComplete = newest !== undefined && older.length === keys.length - 1 && new Set(keys).size === keys.length
  return isComplete ? [newest, ...older] : undefined
}

/** Returns a URL's host without port or IPv6 brackets; `null` if it isn't a URL. */
export const toHostname = (url: string): string | null => URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') ?? null

/** Whether only this machine can reach `host`. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
