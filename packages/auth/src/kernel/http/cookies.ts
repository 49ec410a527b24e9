/**
 * Returns a cookie's value from a `Cookie` header (RFC 6265 section 5.4), or `null`. The first one wins for duplicate
 * names.
 */
export function readCookie(header: string | null, name: string): string | null {
  if (header === null) return null
  for (let start = 0; start < header.length; ) {
    const end = header.indexOf(';', start)
    const stop = end === -1 ? header.length : end
    while (header[start] === ' ') start++
    if (header.startsWith(name, start) && header[start + name.length] === '=') {
      return header.slice(start + name.length + 1, stop).trim()
    }
    start = stop + 1
  }
  return null
}

/** The attributes of a `Set-Cookie` header. */
export interface CookieAttributes {
  readonly path: string
  readonly domain: string | null
  readonly secure: boolean
  readonly httpOnly: boolean
  readonly sameSite: 'Lax' | 'Strict' | 'None' | null
  /** Seconds; `null` for a cookie that lasts until the browser closes. */
  readonly maxAge: number | null
}

/** Returns a `Set-Cookie` value (RFC 6265 section 4.1). `value` must not contain characters that need quoting. */
export function setCookie(name: string, value: string, attributes: CookieAttributes): string {
  const { path, domain, secure, httpOnly, sameSite, maxAge } = attributes
  return [
    `${name}=${value}`,
    `Path=${path}`,
    ...(domain === null ? [] : [`Domain=${domain}`]),
    ...(maxAge === null ? [] : [`Max-Age=${maxAge}`]),
    ...(secure ? ['Secure'] : []),
    ...(httpOnly ? ['HttpOnly'] : []),
    ...(sameSite === null ? [] : [`SameSite=${sameSite}`]),
  ].join('; ')
}

/** Returns a `Set-Cookie` value that deletes a cookie. */
export const expireCookie = (name: string, attributes: CookieAttributes): string =>
  setCookie(name, '', { ...attributes, maxAge: 0 })
