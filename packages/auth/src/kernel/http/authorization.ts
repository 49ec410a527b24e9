import type { WithHeaders } from './with-headers.ts'

/** The credential of the `Authorization` header; `null`: there is none of this scheme. @see RFC 9110 section 11.4 */
export function credentialOf({ headers }: WithHeaders, scheme: string): string | null {
  const [, given = '', credential = ''] = /^([\w-]+) +(\S+) *$/.exec(headers.get('authorization') ?? '') ?? []
  return given.toLowerCase() === scheme.toLowerCase() && credential !== '' ? credential : null
}
