import { type DisplayTime, createTimeFormatter } from '../../kernel/templates/time-text.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Authenticator, AuthenticatorData } from '../mfa.ts'
import { isPasskey } from '../webauthn/stored-key.ts'

/** An authenticator as templates see it: nothing secret. */
export interface ShownAuthenticator {
  readonly id: number
  readonly type: Authenticator['type']
  /** Of a key; else empty. */
  readonly name: string
  /** Whether the key is a passkey; `null` if the authenticator didn't report it. */
  readonly is_passwordless: boolean | null
  readonly created_at: DisplayTime
  /** `null`: never. */
  readonly last_used_at: DisplayTime | null
}

/** For the templates of one page. */
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

/** What its owner calls a key. */
export const readKeyName = ({ name }: AuthenticatorData): string => (typeof name === 'string' ? name : '')
