import type { Core } from '../../core.ts'

/** Whether a user with these addresses may have one more. */
export function canAddAddress(core: Core, addresses: readonly unknown[]): boolean {
  const { changeEmail, maxEmailAddresses } = core.settings.account
  return changeEmail || maxEmailAddresses === null || addresses.length < maxEmailAddresses
}
