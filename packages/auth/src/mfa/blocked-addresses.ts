import { InvalidInput } from '../errors.ts'
import type { Core } from '../core.ts'
import type { Visit } from '../kernel/visit.ts'
import type { User } from '../kernel/users/user.ts'

/**
 * Whether a second factor is in the way of a new address, which would stay unverified for a while: whoever signs up with
 * the address of somebody else could keep the owner out. With codes an address is stored when it is verified.
 */
export async function blocksNewAddresses(core: Core, request: Visit, user: User): Promise<boolean> {
  const { mfa, account } = core.settings
  if (!mfa.enabled || mfa.allowUnverifiedEmail || account.emailVerificationByCodeEnabled) return false
  return core.mfa.adapter.isMfaEnabled(request, user)
}

/** Has such addresses refused where they are typed. */
export function guardAddresses(core: Core): void {
  core.signals.on('_add_email', async ({ request, user }) => {
    if (request === null || !(await blocksNewAddresses(core, request, user))) return
    throw new InvalidInput([core.adapter.validationError('add_email_blocked', { param: 'email' })])
  })
}
