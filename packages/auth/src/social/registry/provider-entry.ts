/** Protocols of providers; `custom` is one of a provider's own. */
type Protocol = 'oauth2' | 'oauth1' | 'oidc' | 'openid2' | 'saml' | 'custom'

/** What can be known of a provider without loading its data: for routes and lists. */
export interface ProviderEntry {
  readonly id: string
  readonly name: string
  readonly protocol: Protocol
  /** Below the mount point, e.g. `google/login/`; with `{provider_id}` or `{organization_slug}` for sub-providers. */
  readonly loginPath: string
  readonly callbackPath: string
  /** Without an app of ours there (`openid`, `dummy`). */
  readonly needsApp: boolean
  readonly supportsRedirect: boolean
  readonly supportsToken: boolean
  /** It believes everything (`dummy`): it is there in development alone. */
  readonly forDevelopment?: true
  /** The callback is a cross-site POST: it arrives without the session, and is handed over. */
  readonly postsBack?: true
}

/** What every record has, whatever the protocol: `providers/<id>.ts` writes it, the registry adds the entry. */
export interface ProviderFacts {
  readonly id: string
  /** For people. */
  readonly name: string
  readonly protocol: Protocol
  /** Where the facts are from: the provider's own documents. */
  readonly source: string
}
