import type { Account } from '../account.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import { ownPasswordPages } from './change-pages.ts'
import { resetCodePages } from './reset-code-pages.ts'
import { resetLinkPages } from './reset-link-pages.ts'
import { resetRequestPages } from './reset-pages.ts'

/** Change, first password and reset, by link or by code; none where people sign in at providers only. */
export function passwordPages(account: Account): readonly PageRoute[] {
  const { account: settings, socialaccount } = account.kernel.settings
  if (socialaccount.only) return []
  const reset = settings.passwordResetByCodeEnabled ? resetCodePages : resetLinkPages
  return [...ownPasswordPages(account), ...resetRequestPages(account), ...reset(account)]
}
