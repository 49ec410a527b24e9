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
