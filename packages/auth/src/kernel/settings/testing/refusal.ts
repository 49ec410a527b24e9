import { AuthError } from '../../../errors.ts'
import type { AuthSettingsInput } from '../setting-groups.ts'
import { resolveSettings } from '../settings.ts'

/** The sentences with which settings were refused; empty when they were taken. Any other error passes through. */
export function readRefusal(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    if (error instanceof AuthError && error.code === 'settings_invalid') return error.message
    throw error
  }
  return ''
}

/** Like `refusalOf`, for untyped settings from JavaScript. */
export const readSettingsRefusal = (input: unknown): string =>
  readRefusal(() => resolveSettings(input as AuthSettingsInput)) // the point is that it need not be one
