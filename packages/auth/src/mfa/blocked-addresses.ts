import type { Mfa } from './second-factors.ts'
import { InvalidInput } from '../errors.ts'
import type { Visit } from '../kernel/visit.ts'
import type { User } from '../kernel/users/user.ts'

/**
 * Returns whether a second factor forbids adding an address, which would stay unverified for a while: someone who
 * signs up with another person's address could lock the owner out. With codes, an address is stored only once it is
 * verified.
 */
export async function hasMfaAddressConflict(mfa: Mfa, request: Visit, user: User): Promise<boolean> {
  const { mfa: settings, account } = mfa.kernel.settings
  if (!settings.enabled || settings.allowUnverifiedEmail || account.emailVerificationByCodeEnabled) return false
  return mfa.adapter.isMfaEnabled(request, user)
}

/** Has such addresses refused where they are typed. */
export function guardAddresses(mfa: Mfa): void {
  mfa.account.signals.on('_add_email', async ({ request, user }) => {
    if (request === null || !(await hasMfaAddressConflict(mfa, request, user))) return
    throw new InvalidInput([mfa.account.adapter.validationError('add_email_blocked', { param: 'email' })])
  })
}
