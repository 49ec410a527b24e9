import type { WithHeaders } from './with-headers.ts'

/** Returns the credential of the `Authorization` header, or `null` if the scheme differs. @see RFC 9110 section 11.4 */
export function readCredential({ headers }: WithHeaders, scheme: string): string | null {
  const [, given = '', credential = ''] = /^([\w-]+) +(\S+) *$/.exec(headers.get('authorization') ?? '') ?? []
  return given.toLowerCase() === scheme.toLowerCase() && credential !== '' ? credential : null
}
