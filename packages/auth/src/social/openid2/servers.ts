import { isRecord } from '../../kernel/settings/kind.ts'
import type { SocialApp } from '../apps/social-apps.ts'

/** A provider of OpenID 2.0 that has a button of its own, so that nobody types its address. */
export interface OpenidServer {
  /** For people. */
  readonly name: string
  readonly url: string
  /** Extra attributes to request: `[id, type, required]` each, as configured. */
  readonly extraAttributes: readonly unknown[]
}

/** `SERVERS` of the provider `openid`: a list of `{ name, openid_url, extra_attributes? }`. */
export function openidServers({ providerSettings }: Pick<SocialApp, 'providerSettings'>): readonly OpenidServer[] {
  const { SERVERS: servers } = providerSettings
  return Array.isArray(servers) ? servers.flatMap((written) => parseOpenidServer(written) ?? []) : []
}

/** `null`: it cannot be one. */
export function parseOpenidServer(written: unknown): OpenidServer | null {
  if (!isRecord(written)) return null
  const { name, openid_url: url, extra_attributes: extra } = written
  if (typeof url !== 'string' || !URL.canParse(url)) return null
  const named = typeof name === 'string' && name.trim() !== ''
  return { name: named ? name : new URL(url).hostname, url, extraAttributes: Array.isArray(extra) ? extra : [] }
}
