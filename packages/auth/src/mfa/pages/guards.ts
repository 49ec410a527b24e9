import type { Account } from '../../account/account.ts'
import { redirectToReauthentication } from '../../account/reauthentication/reauthentication.ts'
import { InvalidInput } from '../../errors.ts'
import type { PageAnswer } from '../../kernel/http/route.ts'
import { createTimeFormatter, type DisplayTime } from '../../kernel/templates/time-text.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import { requireVerifiedEmail } from '../changes.ts'
import type { Authenticator, AuthenticatorData } from '../mfa.ts'
import { isPasskey } from '../webauthn/credential.ts'

/** Returns a redirect. */
export const redirect = (to: string): PageAnswer => ({ kind: 'redirect', to })

/**
 * Returns the redirect for a visitor without recent authentication, or `null`. For pages that check something else
 * first.
 */
export const redirectUnlessRecent = async (account: Account, request: Visit): Promise<PageAnswer | null> =>
  (await account.login.isRecent(request)) ? null : redirectToReauthentication(account, request)

/** Returns the redirect for a user who may not add a factor, with a message, or `null` if they may. */
export async function redirectUnlessAddable(account: Account, request: Visit, user: User): Promise<PageAnswer | null> {
  try {
    await requireVerifiedEmail(account, request, user)
    return null
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    addErrorMessages(request, error)
    return redirect(account.kernel.url('mfa_index'))
  }
}

/** Shows the errors of a form on the next page. */
function addErrorMessages(request: Visit, { errors }: InvalidInput): void {
  for (const { message, values } of errors) request.addMessage('error', request.t(message, values))
}

/** An authenticator as passed to templates, without secrets. */
interface ShownAuthenticator {
  readonly id: number
  readonly type: Authenticator['type']
  /** Name of a key; empty for other types. */
  readonly name: string
  /** Whether the key is a passkey; `null` if the authenticator didn't report it. */
  readonly is_passwordless: boolean | null
  readonly created_at: DisplayTime
  /** `null` if never. */
  readonly last_used_at: DisplayTime | null
}

/** Returns a function that prepares authenticators for a page's templates. */
export function shownAuthenticators({ language, nowMs }: Visit): (of: Authenticator) => ShownAuthenticator {
  const shown = createTimeFormatter(language, nowMs)
  return ({ id, type, data, createdAtMs, lastUsedAtMs }) => ({
    id,
    type,
    name: readKeyName(data),
    is_passwordless: isPasskey({ data }),
    created_at: shown(createdAtMs),
    last_used_at: lastUsedAtMs === null ? null : shown(lastUsedAtMs),
  })
}

/** Returns the name of a key. */
export const readKeyName = ({ name }: AuthenticatorData): string => (typeof name === 'string' ? name : '')
