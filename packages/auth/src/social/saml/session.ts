import type { Visit } from '../../kernel/visit.ts'
import type { UserId } from '../../kernel/users/user.ts'
import type { SocialApp } from '../apps/social-apps.ts'
import type { SamlSubject } from './subject.ts'

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
