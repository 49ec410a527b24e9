import { join } from 'node:path'
import { toHostname, isLoopback } from '../config/forms.ts'
import { SETTINGS, type Setting } from '../config/settings.ts'
import { reachableUrl } from '../config/public-url.ts'
import { CliError, EXIT, usageError } from './exit-code.ts'
import type { Io } from './io.ts'

/** The bearer token, or why there is none. */
export type Bearer = { readonly found: true; readonly value: string } | { readonly found: false; readonly why: string }

/** A server's address and the token to send. */
export interface ServerAddress {
  /** Without a trailing slash. */
  readonly url: string
  readonly token: Bearer
}

/** Reads one setting, so that commands work while others are invalid. @throws {CliError} `usage` naming it */
function readSetting<T>(setting: Setting<T>, env: Io['env']): T | undefined {
  const text = env[setting.name] || setting.fallback
  if (text === null) return undefined
  const value = setting.parse(text)
  if (value === undefined) throw usageError(`${setting.name} must be ${setting.form}.`)
  return value
}

/** Returns the absolute path of the data folder. @throws {CliError} `usage` */
export function dataFolder(env: Io['env']): string {
  const folder = readSetting(SETTINGS.dataDir, env)
  if (folder === undefined) throw usageError(`${SETTINGS.dataDir.name} must be set.`)
  return folder
}

/** Path of the owner token, which the server creates at first start. */
export const tokenFile = (env: Io['env']): string => join(dataFolder(env), 'api-token')

/**
 * Returns `--url`, else `GATEPOST_PUBLIC_URL` if neither host nor port is set, else the address on this machine.
 * @throws {CliError} `usage` if it isn't an HTTP address, `insecure_address` if the token would be sent unencrypted
 */
export function serverUrl(url: string | undefined, env: Io['env']): string {
  if (url !== undefined) return parseServerUrl(url, '--url')
  const { host, port, publicUrl } = SETTINGS
  const elsewhere = env[publicUrl.name]
  if (elsewhere && !env[host.name] && !env[port.name]) return parseServerUrl(elsewhere, publicUrl.name)
  return localUrl(readSetting(host, env) ?? '127.0.0.1', readSetting(port, env) ?? 0)
}

function parseServerUrl(text: string, named: string): string {
  const parsed = URL.parse(text)
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username || parsed.password)
    throw usageError(`${named} must be an address such as http://127.0.0.1:7070.`)
  if (parsed.protocol === 'http:' && !isLoopback(toHostname(parsed.href) ?? '')) {
    throw new CliError('insecure_address', `Gatepost doesn't send tokens to ${parsed.host} unencrypted.`, {
      exit: EXIT.usage,
      hints: [`Use an https:// address for ${named}.`],
    })
  }
  return `${parsed.origin}${parsed.pathname}`.replace(/\/+$/, '')
}

function localUrl(host: string, port: number): string {
  if (port === 0) throw usageError('GATEPOST_PORT is 0, so the port is unknown. Use --url.')
  return reachableUrl(host, port)
}
