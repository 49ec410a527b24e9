/** Where a redirect URI leads, for people. */
export interface LeadsTo {
  /** `host`: a site; `device`: a program on the visitor's own machine; `app`: an app that has claimed the scheme. */
  readonly kind: 'host' | 'device' | 'app'
  /** Host with its port, or scheme. */
  readonly text: string
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** @param uri One that a client has registered. */
export function describeRedirectTarget(uri: string): LeadsTo {
  const { protocol, host, hostname } = new URL(uri)
  if (protocol !== 'https:' && protocol !== 'http:') return { kind: 'app', text: protocol.slice(0, -1) }
  return LOOPBACK.test(hostname) ? { kind: 'device', text: host } : { kind: 'host', text: host }
}

/**
 * What the policy of a page must let forms through to that end at `uri`. Browsers apply it to every redirect behind the
 * form, and so to where the client sends people on: a single host would stop them there.
 * @see W3C, "Content Security Policy Level 3", section 6.4.1
 */
export function formActionSources(uri: string): readonly string[] {
  const { protocol } = new URL(uri)
  return protocol === 'https:' || protocol === 'http:' ? [...new Set([protocol, 'https:'])] : [protocol]
}
