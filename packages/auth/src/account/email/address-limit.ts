import type { Kernel } from '../../kernel/kernel.ts'

/** Whether a user with these addresses may have one more. */
export function canAddAddress(kernel: Kernel, addresses: readonly unknown[]): boolean {
  const { changeEmail, maxEmailAddresses } = kernel.settings.account
  return changeEmail || maxEmailAddresses === null || addresses.length < maxEmailAddresses
}
