import type { Social } from '../social-accounts.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { SocialLogin } from '../social-login.ts'

const NAME = 'sociallogin'

/** Returns extra arguments for the receivers of a login's signals: JSON, since a login may wait in a session. */
export function buildSignalArguments(
  social: Social,
  request: Visit,
  sociallogin: SocialLogin,
): Readonly<Record<string, unknown>> {
  request.notes.set(NAME, sociallogin)
  return { [NAME]: social.adapter.serializeInstance(sociallogin) }
}

/** The arguments of a login as receivers see them. A provider's login whose app is gone meanwhile is left out. */
export async function restoreSignalArguments(
  social: Social,
  request: Visit,
  given: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  if (!(NAME in given)) return given
  const { [NAME]: serialized, ...others } = given
  const sociallogin = request.notes.get(NAME) ?? (await social.adapter.deserializeInstance(request, serialized))
  return sociallogin === null ? others : { ...others, [NAME]: sociallogin }
}
