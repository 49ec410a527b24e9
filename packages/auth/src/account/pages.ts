import type { Account } from './account.ts'
import type { PageRoute } from '../kernel/http/route.ts'
import { emailPages } from './email/pages.ts'
import { loginPages } from './login/pages.ts'
import { logoutPages } from './logout/pages.ts'
import { passwordPages } from './password/pages.ts'
import { phonePages } from './phone/pages.ts'
import { reauthenticationPages } from './reauthentication/pages.ts'
import { signupPages } from './signup/pages.ts'

/** The pages of accounts that these settings have. */
export const accountPages = (account: Account): readonly PageRoute[] =>
  [loginPages, logoutPages, signupPages, reauthenticationPages, emailPages, phonePages, passwordPages].flatMap(
    (pages) => pages(account),
  )
