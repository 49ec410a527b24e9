import { createHash } from 'node:crypto'
import type { Call, ProfileAccess } from '../shape.ts'

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

const joined = (query: URLSearchParams, left: readonly string[]): string =>
  [...query]
    .filter(([name]) => !left.includes(name))
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()
    .join('')

/** @see Odnoklassniki REST API, "Signing requests" */
export const odnoklassnikiSigned = ({ url: { searchParams } }: Call, { token, secret, key }: ProfileAccess): boolean =>
  searchParams.get('application_key') === key &&
  searchParams.get('sig') === md5(`${joined(searchParams, ['access_token', 'sig'])}${md5(`${token}${secret}`)}`)

/** @see Mail.ru REST API, "Calculating the signature" */
export const mailruSigned = ({ url: { searchParams } }: Call, { person, secret }: ProfileAccess): boolean =>
  searchParams.get('uids') === person.id && searchParams.get('sig') === md5(`${joined(searchParams, ['sig'])}${secret}`)
