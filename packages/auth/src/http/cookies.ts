/** The cookies of a request, by name (RFC 6265 section 5.4); of two with one name the first. */
export function cookiesOf(header: string | null): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>()
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (at <= 0) continue
    const name = pair.slice(0, at).trim()
    if (!cookies.has(name)) cookies.set(name, pair.slice(at + 1).trim())
  }
  return cookies
}

/** One cookie of a request, without looking at the others. */
export function cookieOf(header: string | null, name: string): string | null {
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

export interface CookieAttributes {
  readonly path: string
  readonly domain: string | null
  readonly secure: boolean
  readonly httpOnly: boolean
  readonly sameSite: 'Lax' | 'Strict' | 'None' | null
  /** Seconds; `null`: until the browser closes. */
  readonly maxAge: number | null
}

/** A `Set-Cookie` value (RFC 6265 section 4.1). `value` holds no character that would need quoting. */
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

/** Makes the browser forget a cookie. */
export const forgetCookie = (name: string, attributes: CookieAttributes): string =>
  setCookie(name, '', { ...attributes, maxAge: 0 })
