import type { JsonObject } from '../../kernel/settings/json-object.ts'
import type { AuthDb } from '../../kernel/users/user.ts'

/** An app registered with a provider, from the database or the settings. Has the opened secret, so it's never shown. */
export interface SocialApp {
  /** Key of the row; `null` for an app from the settings. */
  readonly id: number | null
  /** Provider ID in the registry, e.g. `google`, `openid_connect`, `saml`. */
  readonly provider: string
  /** Sub-provider ID (OpenID Connect, SAML); empty if none. */
  readonly providerId: string
  readonly name: string
  readonly clientId: string
  readonly secret: string
  readonly key: string
  /** Settings of this app. They win over `providerSettings`, which win over the provider's record. */
  readonly settings: JsonObject
  /** `SOCIALACCOUNT_PROVIDERS[provider]` without its apps. */
  readonly providerSettings: JsonObject
}

/** Input from staff. In an update, absent members stay as they are. */
export interface SocialAppInput {
  readonly provider: string
  readonly providerId?: string
  readonly name?: string
  readonly clientId?: string
  readonly secret?: string
  readonly key?: string
  readonly settings?: JsonObject
}

/** An app as shown to staff: without its secrets, but with whether it has any. */
export interface ShownSocialApp {
  readonly id: number | null
  readonly provider: string
  readonly providerId: string
  readonly name: string
  readonly clientId: string
  readonly hasSecret: boolean
  readonly hasKey: boolean
  /** Secret members, such as `certificate_key` and `private_key`, are `****`. */
  readonly settings: JsonObject
  /** Apps from `settings` can't be changed here. */
  readonly source: 'database' | 'settings'
  /** Paths below the site's origin, to register with the provider. */
  readonly loginPath: string
  readonly callbackPath: string
}

/** Stores apps, and lists them together with those from the settings. */
export interface SocialApps {
  /** Returns the apps from the settings and from the rows of this site, with their secrets opened. */
  list(db: AuthDb, filter?: { readonly provider?: string; readonly clientId?: string }): Promise<readonly SocialApp[]>
  shown(db: AuthDb): Promise<readonly ShownSocialApp[]>
  /** @throws {InvalidInput} `unknown_provider`, `required`, `max_length`, `invalid` with `param` */
  create(db: AuthDb, input: SocialAppInput): Promise<ShownSocialApp>
  /** @throws {InvalidInput}; {AuthError} `not_found` */
  update(db: AuthDb, id: number, changes: Partial<SocialAppInput>): Promise<ShownSocialApp>
  /** @throws {AuthError} `not_found` */
  remove(db: AuthDb, id: number): Promise<void>
}
