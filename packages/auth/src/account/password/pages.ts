import type { Core } from '../../core.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import { ownPasswordPages } from './change-pages.ts'
import { resetCodePages } from './reset-code-pages.ts'
import { resetLinkPages } from './reset-link-pages.ts'
import { resetRequestPages } from './reset-pages.ts'

/** Change, first password and reset, by link or by code; none where people sign in at providers only. */
export function passwordPages(core: Core): readonly PageRoute[] {
  const { account, socialaccount } = core.settings
  if (socialaccount.only) return []
  const reset = account.passwordResetByCodeEnabled ? resetCodePages : resetLinkPages
  return [...ownPasswordPages(core), ...resetRequestPages(core), ...reset(core)]
}
