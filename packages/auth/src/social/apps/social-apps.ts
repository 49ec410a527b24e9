import type { JsonObject } from '../../kernel/settings/json-object.ts'
import type { AuthDb } from '../../kernel/users/user.ts'

/** An app of ours at a provider, of a row or of the settings. The secret is open: never shown. */
export interface SocialApp {
  /** Key of the row; `null`: of the settings. */
  readonly id: number | null
  /** Provider id of the registry, e.g. `google`, `openid_connect`, `saml`. */
  readonly provider: string
  /** Sub-provider id (OpenID Connect, SAML); empty: none. */
  readonly providerId: string
  readonly name: string
  readonly clientId: string
  readonly secret: string
  readonly key: string
  /** Of this app: they win over `providerSettings`, which win over the data of the provider. */
  readonly settings: JsonObject
  /** `SOCIALACCOUNT_PROVIDERS[provider]` without its apps. */
  readonly providerSettings: JsonObject
}

/** What staff write; absent members stay as they are at a change. */
export interface SocialAppInput {
  readonly provider: string
  readonly providerId?: string
  readonly name?: string
  readonly clientId?: string
  readonly secret?: string
  readonly key?: string
  readonly settings?: JsonObject
}

/** An app as staff see it: without secrets, but whether there are any. */
export interface ShownSocialApp {
  readonly id: number | null
  readonly provider: string
  readonly providerId: string
  readonly name: string
  readonly clientId: string
  readonly hasSecret: boolean
  readonly hasKey: boolean
  /** Without what is secret in it (`certificate_key`, `private_key` …): such members read `****`. */
  readonly settings: JsonObject
  /** `settings`: not to be changed here. */
  readonly source: 'database' | 'settings'
  /** To be registered at the provider: paths below the origin of the site. */
  readonly loginPath: string
  readonly callbackPath: string
}

/** Apps of both sources. */
export interface SocialApps {
  /** Those of the settings and of the rows of this site; secrets opened. */
  list(db: AuthDb, filter?: { readonly provider?: string; readonly clientId?: string }): Promise<readonly SocialApp[]>
  shown(db: AuthDb): Promise<readonly ShownSocialApp[]>
  /** @throws {InvalidInput} `unknown_provider`, `required`, `max_length`, `invalid` with `param` */
  create(db: AuthDb, input: SocialAppInput): Promise<ShownSocialApp>
  /** @throws {InvalidInput}; {AuthError} `not_found` */
  update(db: AuthDb, id: number, changes: Partial<SocialAppInput>): Promise<ShownSocialApp>
  /** @throws {AuthError} `not_found` */
  remove(db: AuthDb, id: number): Promise<void>
}
