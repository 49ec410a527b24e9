import type { UserId } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { SocialApp } from '../apps/social-apps.ts'
import type { XmlElement } from '../wire/xml.ts'
import { FORMAT_UNSPECIFIED } from './names.ts'

/** A user's name at a provider. Missing members are empty. @see Core for SAML 2.0, section 2.2.2 */
interface SamlName {
  readonly nameId: string
  readonly nameIdFormat: string
  readonly nameQualifier: string
  readonly spNameQualifier: string
}

/** The user and session at a provider. JSON, kept in the session that started with it. */
export interface SamlSubject extends SamlName {
  /** Empty if the provider doesn't distinguish its sessions. */
  readonly sessionIndex: string
}

/** The sessions that a provider requests to end. */
export interface LogoutSubject extends SamlName {
  /** Empty for all sessions of the user. */
  readonly sessionIndexes: readonly string[]
}

/** Reads a `NameID`. */
export function parseNameId({ attributes, text }: Pick<XmlElement, 'attributes' | 'text'>): SamlName {
  const told = (name: string): string => attributes.get(name) ?? ''
  return {
    nameId: text.trim(),
    nameIdFormat: told('Format'),
    nameQualifier: told('NameQualifier'),
    spNameQualifier: told('SPNameQualifier'),
  }
}

/**
 * Returns whether a session is one that the provider requests to end. Missing qualifiers default to `parties`. Formats
 * are compared only if both are specified.
 * @param parties Entity IDs of the provider and of this site.
 * @see Core for SAML 2.0, sections 3.3.4, 3.7.3.1 and 8.3.7
 */
export function matchesSubject(
  requested: LogoutSubject,
  session: SamlSubject,
  parties: { readonly issuer: string; readonly service: string },
): boolean {
  const qualified = ({ nameId, nameQualifier, spNameQualifier }: SamlName): string =>
    JSON.stringify([nameId, nameQualifier || parties.issuer, spNameQualifier || parties.service])
  const formats = [requested, session]
    .map(({ nameIdFormat }) => nameIdFormat)
    .filter((format) => format !== '' && format !== FORMAT_UNSPECIFIED)
  return (
    qualified(requested) === qualified(session) &&
    new Set(formats).size < 2 &&
    (requested.sessionIndexes.length === 0 || requested.sessionIndexes.includes(session.sessionIndex))
  )
}

/** Session entry; a sign-out deletes it with the rest of the session. */
const KEY = 'socialaccount_saml'

/** The session at an organization through which a user signed in here; JSON. */
export interface SamlSession {
  readonly app: Pick<SocialApp, 'providerId' | 'clientId'>
  readonly subject: SamlSubject
  /** The user who signed in with it. Ignored for another user. */
  readonly user: UserId
}

/** Stores the session at the organization, for single logout. */
export function storeSamlSession(
  request: Visit,
  { providerId, clientId }: SamlSession['app'],
  subject: SamlSubject,
  user: UserId,
): void {
  const kept: SamlSession = { app: { providerId, clientId }, subject, user }
  request.session.set(KEY, kept)
}

/** Returns the session at an organization, or `null` if the user didn't sign in through one. */
export function samlSession({ session, user }: Visit): SamlSession | null {
  const kept = session.get(KEY)
  if (user === null || kept === undefined || kept === null) return null
  const found = kept as SamlSession // written only here; sessions are sealed
  return found.user === user.id ? found : null
}

/** Returns whether a session belongs to this app. */
export const isOfApp = ({ app }: SamlSession, { providerId, clientId }: SamlSession['app']): boolean =>
  app.providerId === providerId && app.clientId === clientId
