/** Signed values that may be shown: mail links, cookies. Made with the first secret key, checked with all. */
export interface Signer {
  /** base64url(JSON) `:` base62(seconds) `:` base64url(HMAC-SHA256), as in section 2.7 of the reference protocol. */
  sign(value: unknown, salt: string, nowMs: number): string
  /** `null`: not ours, changed, from the future by more than a minute, or older than `maxAgeSeconds`. */
  unsign(text: string, salt: string, limits: { readonly nowMs: number; readonly maxAgeSeconds: number }): unknown
  /** base64url(JSON) `:` base64url(HMAC-SHA256), for a value that has its own times in it. */
  signObject(value: unknown, salt: string): string
  /** `null`: not ours, or changed. */
  unsignObject(text: string, salt: string): unknown
  /** HMAC-SHA256 of `text`, keyed for `salt`, hex: fingerprints that cannot be computed outside. */
  fingerprint(text: string, salt: string): string
  /** The fingerprints by all keys, today's first: for one that is kept while keys change. */
  fingerprints(text: string, salt: string): readonly string[]
}

/** Authenticated encryption of what is kept: AES-256-GCM, key id in front, bound to `context` (its place). */
export interface Sealer {
  seal(text: string, context: string): string
  /** @throws {AuthError} `secret_unreadable` */
  open(sealed: string, context: string): string
}

/** How codes that people type look. */
export interface CodeFormat {
  readonly numeric: boolean
  readonly dashed: boolean
  readonly length: number
}
