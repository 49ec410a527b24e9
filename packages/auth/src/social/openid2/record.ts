import { isRecord } from '../../kernel/settings/kind.ts'
import type { SocialApp } from '../apps/social-apps.ts'
import type { ProfileMapping, ProfilePath } from '../profile/profile-mapping.ts'
import type { ProviderFacts } from '../registry/provider-entry.ts'

/** A provider that is the same for everybody: nothing is discovered. */
export interface FixedOpenid {
  readonly endpoint: string
  /** Its claimed ids: this, and then digits. */
  readonly claimedIdPrefix: string
  /** A call that tells more; the secret of the app is the key. */
  readonly profile: {
    readonly url: string
    readonly keyParam: string
    readonly idParam: string
    readonly root: ProfilePath
    /** Where the profile has the digits of the claimed id. */
    readonly id: ProfilePath
  }
}

/** OpenID Authentication 2.0: of a provider that a visitor names, or of a fixed one. */
export interface Openid2Record extends ProviderFacts {
  readonly protocol: 'openid2'
  readonly fixed?: FixedOpenid
  /** Mapping of the profile, or without one of the response: `claimed_id`, `email`, `name`, `first_name`, `last_name`. */
  readonly person: ProfileMapping
}

/** A provider of OpenID 2.0 that has a button of its own, so that nobody types its address. */
interface OpenidServer {
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
