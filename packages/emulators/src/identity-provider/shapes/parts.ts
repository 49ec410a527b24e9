import { createHash } from 'node:crypto'
import type {
  ExpectedPerson,
  Members,
  OAuth1Shape,
  OAuth2Shape,
  Subject,
  Transport,
  Call,
  ProfileAccess,
} from '../shape.ts'

type OAuth2Rest = Omit<OAuth2Shape, 'protocol' | 'authorize' | 'token' | 'profile' | 'transport'>
type OAuth1Rest = Omit<OAuth1Shape, 'protocol' | 'requestToken' | 'authorize' | 'token' | 'profile'>

/** A provider of OAuth 2.0: its addresses, where it looks for the token, and how it differs. */
export const oauth2 = (
  [authorize, token, profile]: readonly [string, string, string | null],
  transport: Transport,
  rest: OAuth2Rest,
): OAuth2Shape => ({ protocol: 'oauth2', authorize, token, profile, transport, ...rest })

/** A provider of OAuth 1.0a: its addresses and how it differs. */
export const oauth1 = (
  [requestToken, authorize, token, profile]: readonly [string, string, string, string | null],
  rest: OAuth1Rest,
): OAuth1Shape => ({ protocol: 'oauth1', requestToken, authorize, token, profile, ...rest })

/** Claims as OpenID Connect Core 5.1 names them. */
export const claims = (who: Subject): Members => ({
  sub: who.id,
  email: who.email,
  email_verified: who.emailVerified,
  name: who.fullName,
  given_name: who.firstName,
  family_name: who.lastName,
  preferred_username: who.username,
})

/** First and last name, expected. */
export const bothNames = (who: Subject): Pick<ExpectedPerson, 'firstName' | 'lastName'> => ({
  firstName: who.firstName,
  lastName: who.lastName,
})

/** An address that the provider says is verified or not, expected. */
export const checkedEmail = (who: Subject): Pick<ExpectedPerson, 'email' | 'emailVerified'> => ({
  email: who.email,
  emailVerified: who.email !== null && who.emailVerified,
})

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
