import { idTokenOf } from './id-token.ts'
import { type Call, type Grant, type Members, NO_ID, type OAuth2Shape, subjectOf } from './shape.ts'
import { type Fault, secretText, type State } from './state.ts'
import { visibleIn } from './visible.ts'
import { withoutId } from './without-id.ts'

/** The issuer as this client must see it: served providers that are found by discovery are issuers at their served address. */
export const issuerOf = (shape: OAuth2Shape, at: (real: string) => string): string =>
  shape.discovery === undefined ? (shape.issuer ?? '') : at(shape.issuer ?? '')

/** Claims about a person. OpenID Connect Core 5.1 */
export function standardClaims(person: Grant['person']): Members {
  return {
    sub: person.id,
    ...(person.email === null ? {} : { email: person.email, email_verified: person.emailVerified }),
    name: `${person.firstName} ${person.lastName}`,
    given_name: person.firstName,
    family_name: person.lastName,
    preferred_username: person.username,
  }
}

/** The id token of a grant, with the faults that are switched on. */
export function signIdTokenFor(
  state: State,
  shape: OAuth2Shape,
  call: Pick<Call, 'at'>,
  grant: Grant,
  accessToken: string | null,
  fault: Fault | null,
): string {
  const shown = visibleIn(shape, grant)
  const person = fault === 'no_uid' ? { ...shown, id: NO_ID } : shown
  const claims = shape.idClaims?.(subjectOf(person)) ?? standardClaims(person)
  return idTokenOf(
    {
      issuer: issuerOf(shape, (real) => call.at(real)),
      audience: grant.clientId,
      nonce: grant.nonce,
      accessToken,
      id: secretText(state),
      nowMs: state.io.now(),
      claims: withoutId(claims),
    },
    fault,
  )
}
