import { isRecord } from '../../kernel/settings/kind.ts'
import type { SocialApp } from '../apps/social-apps.ts'
import type { ProfileMapping, ProfilePath } from '../profile/profile-mapping.ts'
import type { ProviderFacts } from '../registry/provider-entry.ts'

/** A fixed provider, without discovery. */
export interface FixedOpenid {
  readonly endpoint: string
  /** Prefix of its claimed IDs; digits follow. */
  readonly claimedIdPrefix: string
  /** The call for the profile, with the app's secret as key. */
  readonly profile: {
    readonly url: string
    readonly keyParam: string
    readonly idParam: string
    readonly root: ProfilePath
    /** Path of the claimed ID's digits in the profile. */
    readonly id: ProfilePath
  }
}

/** A provider with OpenID Authentication 2.0: one that the visitor enters, or a fixed one. */
export interface Openid2Record extends ProviderFacts {
  readonly protocol: 'openid2'
  readonly fixed?: FixedOpenid
  /** Mapping of the profile or, without one, of the reply: `claimed_id`, `email`, `name`, `first_name`, `last_name`. */
  readonly person: ProfileMapping
}

/** An OpenID 2.0 provider with its own button, so that visitors don't have to type its URL. */
interface OpenidServer {
  /** Name to display. */
  readonly name: string
  readonly url: string
  /** Additional attributes to request, as configured: `[id, type, required]` each. */
  readonly extraAttributes: readonly unknown[]
}

/** `SERVERS` of the provider `openid`: a list of `{ name, openid_url, extra_attributes? }`. */
export function openidServers({ providerSettings }: Pick<SocialApp, 'providerSettings'>): readonly OpenidServer[] {
  const { SERVERS: servers } = providerSettings
  return Array.isArray(servers) ? servers.flatMap((written) => parseOpenidServer(written) ?? []) : []
}

/** Parses an entry; `null` if it's invalid. */
export function parseOpenidServer(written: unknown): OpenidServer | null {
  if (!isRecord(written)) return null
  const { name, openid_url: url, extra_attributes: extra } = written
  if (typeof url !== 'string' || !URL.canParse(url)) return null
  const named = typeof name === 'string' && name.trim() !== ''
  return { name: named ? name : new URL(url).hostname, url, extraAttributes: Array.isArray(extra) ? extra : [] }
}
