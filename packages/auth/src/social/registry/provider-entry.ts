/** Protocols of providers; `custom` is a provider's own protocol. */
type Protocol = 'oauth2' | 'oauth1' | 'oidc' | 'openid2' | 'saml' | 'custom'

/** The facts about a provider that routes and lists need, without its record. */
export interface ProviderEntry {
  readonly id: string
  readonly name: string
  readonly protocol: Protocol
  /** Below the mount point, e.g. `google/login/`; with `{provider_id}` or `{organization_slug}` for sub-providers. */
  readonly loginPath: string
  readonly callbackPath: string
  /** Whether it needs an app (all but `openid` and `dummy`). */
  readonly needsApp: boolean
  readonly supportsRedirect: boolean
  readonly supportsToken: boolean
  /** It accepts any identity (`dummy`), so it's available only in development. */
  readonly forDevelopment?: true
  /** The callback is a cross-site POST, which arrives without the session and is handed over. */
  readonly postsBack?: true
}

/** The members of every record in `providers/<id>.ts`; the registry adds those of the entry. */
export interface ProviderFacts {
  readonly id: string
  /** Name to display. */
  readonly name: string
  readonly protocol: Protocol
  /** Source of the facts: the provider's documentation. */
  readonly source: string
}
