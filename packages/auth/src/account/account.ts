import type { Signals } from '../kernel/signals.ts'
import type { AccountSignals } from './signals.ts'
import type { SignupForm } from '../kernel/forms/form.ts'
import type { ConnectedKernel } from '../kernel/module.ts'
import type { LoginFlow } from '../kernel/login.ts'
import type { AccountAdapter } from './adapter.ts'
import type { EmailAddressStore, EmailConfirmationStore, PhoneStore } from './email-address.ts'

/** Accounts: addresses, phones, the frame of every login, and the hooks of the host. */
export interface Account {
  readonly kernel: ConnectedKernel
  readonly signals: Signals<AccountSignals>
  /** The host's hooks over the defaults. */
  readonly adapter: AccountAdapter
  readonly emails: EmailAddressStore
  readonly confirmations: EmailConfirmationStore
  readonly phones: PhoneStore
  readonly login: LoginFlow
  /** The host's own part of every sign-up. */
  readonly signupForm: SignupForm | null
}
