/** A browser's cookies for one site. */
export interface CookieJar {
  readonly cookies: Map<string, string>
  /** Returns the `Cookie` header. */
  header(): string
  /** Stores and deletes cookies as a response requests. */
  keep(headers: Headers): void
}

export function cookieJar(): CookieJar {
  const cookies = new Map<string, string>()
  return {
    cookies,
    header: () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    keep(headers) {
      for (const line of headers.getSetCookie()) keepLine(cookies, line)
    },
  }
}

function keepLine(cookies: Map<string, string>, line: string): void {
  const [pair = ''] = line.split(';', 1)
  const at = pair.indexOf('=')
  const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
  if (/;\s*max-age=0/i.test(line) || value === '') cookies.delete(name)
  else cookies.set(name, value)
}
