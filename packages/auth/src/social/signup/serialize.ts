import type { Social } from '../social-accounts.ts'
import type { Visit } from '../../kernel/visit.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import type { NewUser, UserId } from '../../kernel/users/user.ts'
import type { SamlSubject } from '../saml/subject.ts'
import type { SocialApp } from '../apps/social-apps.ts'
import type { SocialLogin } from '../social-login.ts'

/** A login as kept in a session. Its app and user are loaded again, so it contains no secrets of the app. */
interface Serialized {
  readonly app: Pick<SocialApp, 'id' | 'provider' | 'providerId' | 'clientId'>
  readonly account: SocialLogin['account']
  readonly user: NewUser
  readonly existingUser: UserId | null
  readonly emailAddresses: SocialLogin['emailAddresses']
  readonly phone: SocialLogin['phone']
  readonly tokens: SocialLogin['tokens']
  readonly state: SocialLogin['state']
  readonly authenticatedByEmail: string | null
  readonly samlSubject?: SamlSubject | null
}

/** Returns a login as JSON. */
export function serializeLogin(sociallogin: SocialLogin): unknown {
  const { app, account, user, existingUser, emailAddresses, phone, tokens, state, authenticatedByEmail } = sociallogin
  const { username = '', email = '', firstName = '', lastName = '', isActive = true, isStaff = false } = user
  const serialized: Serialized = {
    app: { id: app.id, provider: app.provider, providerId: app.providerId, clientId: app.clientId },
    account,
    user: { username, email, firstName, lastName, isActive, isStaff, isSuperuser: user.isSuperuser ?? false },
    existingUser: existingUser?.id ?? null,
    emailAddresses,
    phone,
    tokens,
    state,
    authenticatedByEmail,
    samlSubject: sociallogin.samlSubject ?? null,
  }
  return serialized
}

/** Returns the login from the JSON of `serializeLogin`; `null` if its app or user is gone. */
export async function deserializeLogin(
  social: Social,
  request: Visit,
  serialized: unknown,
): Promise<SocialLogin | null> {
  if (!isRecord(serialized) || !isRecord(serialized['app'])) return null
  const { app: named, existingUser: userId, ...rest } = serialized as unknown as Serialized // written only by us
  const apps = await social.adapter.listApps(request, named.provider, named.clientId)
  const app = apps.find(({ id, providerId }) => id === named.id && providerId === named.providerId)
  const existingUser = userId === null ? null : await social.kernel.users.byId(request.db, userId)
  if (app === undefined || (userId !== null && existingUser === null)) return null
  return { ...rest, app, existingUser, user: existingUser ?? rest.user }
}
