import type { UserId } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { SocialApp } from '../apps/social-apps.ts'
import type { XmlElement } from '../wire/xml.ts'
import { FORMAT_UNSPECIFIED } from './names.ts'

/** What a provider calls somebody. Empty texts: not told. Core for SAML 2.0, section 2.2.2 */
interface SamlName {
  readonly nameId: string
  readonly nameIdFormat: string
  readonly nameQualifier: string
  readonly spNameQualifier: string
}

/** Whose session at a provider it is; JSON, kept in the session here that began with it. */
export interface SamlSubject extends SamlName {
  /** Empty: the provider does not tell its sessions apart. */
  readonly sessionIndex: string
}

/** Which sessions a provider wants to end. */
export interface LogoutSubject extends SamlName {
  /** Empty: all of this person. */
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
 * Whether a session is one that the provider wants to end. Qualifiers that are left out stand for `parties`; a format is
 * compared where both tell it.
 * @param parties Entity ids of the provider and of us.
 * @see Core for SAML 2.0, sections 3.3.4, 3.7.3.1 and 8.3.7
 */
export function matchesSubject(
  asked: LogoutSubject,
  session: SamlSubject,
  parties: { readonly issuer: string; readonly service: string },
): boolean {
  const qualified = ({ nameId, nameQualifier, spNameQualifier }: SamlName): string =>
    JSON.stringify([nameId, nameQualifier || parties.issuer, spNameQualifier || parties.service])
  const formats = [asked, session]
    .map(({ nameIdFormat }) => nameIdFormat)
    .filter((format) => format !== '' && format !== FORMAT_UNSPECIFIED)
  return (
    qualified(asked) === qualified(session) &&
    new Set(formats).size < 2 &&
    (asked.sessionIndexes.length === 0 || asked.sessionIndexes.includes(session.sessionIndex))
  )
}

/** Entry of the session: it goes with everything else at a sign-out. */
const KEY = 'socialaccount_saml'

/** The sign-in at an organisation by which somebody is signed in here; JSON. */
export interface SamlSession {
  readonly app: Pick<SocialApp, 'providerId' | 'clientId'>
  readonly subject: SamlSubject
  /** Whom it signs in: that of somebody else says nothing. */
  readonly user: UserId
}

/** Keeps what the organisation calls this sign-in, for single logout. */
export function storeSamlSession(
  request: Visit,
  { providerId, clientId }: SamlSession['app'],
  subject: SamlSubject,
  user: UserId,
): void {
  const kept: SamlSession = { app: { providerId, clientId }, subject, user }
  request.session.set(KEY, kept)
}

/** `null`: who is signed in did not come from an organisation. */
export function samlSession({ session, user }: Visit): SamlSession | null {
  const kept = session.get(KEY)
  if (user === null || kept === undefined || kept === null) return null
  const found = kept as SamlSession // written here alone; sessions are sealed
  return found.user === user.id ? found : null
}

/** Whether it is of this app. */
export const isOfApp = ({ app }: SamlSession, { providerId, clientId }: SamlSession['app']): boolean =>
  app.providerId === providerId && app.clientId === clientId
