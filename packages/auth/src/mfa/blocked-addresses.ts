import type { Mfa } from './second-factors.ts'
import { InvalidInput } from '../errors.ts'
import type { Visit } from '../kernel/visit.ts'
import type { User } from '../kernel/users/user.ts'

/**
 * Whether a second factor is in the way of a new address, which would stay unverified for a while: whoever signs up with
 * the address of somebody else could keep the owner out. With codes an address is stored when it is verified.
 */
export async function blocksNewAddresses(mfa: Mfa, request: Visit, user: User): Promise<boolean> {
  const { mfa: settings, account } = mfa.kernel.settings
  if (!settings.enabled || settings.allowUnverifiedEmail || account.emailVerificationByCodeEnabled) return false
  return mfa.adapter.isMfaEnabled(request, user)
}

/** Has such addresses refused where they are typed. */
export function guardAddresses(mfa: Mfa): void {
  mfa.account.signals.on('_add_email', async ({ request, user }) => {
    if (request === null || !(await blocksNewAddresses(mfa, request, user))) return
    throw new InvalidInput([mfa.account.adapter.validationError('add_email_blocked', { param: 'email' })])
  })
}
