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

/** Returns an OAuth 2.0 provider: addresses, transport of the token, and differences. */
export const oauth2 = (
  [authorize, token, profile]: readonly [string, string, string | null],
  transport: Transport,
  rest: OAuth2Rest,
): OAuth2Shape => ({ protocol: 'oauth2', authorize, token, profile, transport, ...rest })

/** Returns an OAuth 1.0a provider: addresses and differences. */
export const oauth1 = (
  [requestToken, authorize, token, profile]: readonly [string, string, string, string | null],
  rest: OAuth1Rest,
): OAuth1Shape => ({ protocol: 'oauth1', requestToken, authorize, token, profile, ...rest })

/** Returns the claims of OpenID Connect Core 5.1. */
export const claims = (who: Subject): Members => ({
  sub: who.id,
  email: who.email,
  email_verified: who.emailVerified,
  name: who.fullName,
  given_name: who.firstName,
  family_name: who.lastName,
  preferred_username: who.username,
})

/** Returns the expected first and last name. */
export const expectedNames = (who: Subject): Pick<ExpectedPerson, 'firstName' | 'lastName'> => ({
  firstName: who.firstName,
  lastName: who.lastName,
})

/** Returns the expected email, with its verification status. */
export const expectedEmail = (who: Subject): Pick<ExpectedPerson, 'email' | 'emailVerified'> => ({
  email: who.email,
  emailVerified: who.email !== null && who.emailVerified,
})

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

const joinParameters = (query: URLSearchParams, left: readonly string[]): string =>
  [...query]
    .filter(([name]) => !left.includes(name))
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()
    .join('')

/** Whether a request is signed. @see Odnoklassniki REST API, "Signing requests" */
export const isOdnoklassnikiSigned = (
  { url: { searchParams } }: Call,
  { token, secret, key }: ProfileAccess,
): boolean =>
  searchParams.get('application_key') === key &&
  searchParams.get('sig') === md5(`${joinParameters(searchParams, ['access_token', 'sig'])}${md5(`${token}${secret}`)}`)

/** Whether a request is signed. @see Mail.ru REST API, "Calculating the signature" */
export const isMailruSigned = ({ url: { searchParams } }: Call, { person, secret }: ProfileAccess): boolean =>
  searchParams.get('uids') === person.id &&
  searchParams.get('sig') === md5(`${joinParameters(searchParams, ['sig'])}${secret}`)
