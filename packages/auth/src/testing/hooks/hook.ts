import type { HostParts } from '../../options.ts'
import type { AccountAdapterInput } from '../../account/adapter.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import type { AuthWorld } from '../auth-world.ts'

/** A hook of the account adapter, and the visible effect of overriding it. */
export interface HookChange {
  readonly hook: string
  readonly settings?: AuthSettingsInput
  readonly pages?: (auth: HostParts) => readonly PageRoute[]
  readonly adapter: AccountAdapterInput
  observe(world: AuthWorld): Promise<unknown>
  readonly expected: unknown
}

export const MANDATORY = {
  account: { signupFields: ['username*', 'email*', 'password1*'], emailVerification: 'mandatory' },
} as const
export const VERIFY_CODES = { account: { ...MANDATORY.account, emailVerificationByCodeEnabled: true } } as const
export const LOGIN_CODES = { account: { loginByCodeEnabled: true } } as const
export const NOTIFIED = { account: { emailNotifications: true } } as const
/** The form fields to change Ada's password. */
export const CHANGE = {
  oldpassword: 'a made-up pass phrase',
  password1: 'another made-up phrase',
  password2: 'another made-up phrase',
} as const
