import type { Social } from './social-accounts.ts'
import type { PageRoute } from '../kernel/http/route.ts'
import { connectionsPage } from './pages/connections-page.ts'
import { providerPages } from './pages/provider-pages.ts'
import { resultPages } from './pages/result-pages.ts'
import { signupPage } from './pages/signup-page.ts'
import { tokenPages } from './pages/token-pages.ts'

/** The pages of logins at providers. */
export const socialAccountPages = (social: Social): readonly PageRoute[] =>
  social.kernel.settings.socialaccount.enabled
    ? [
        connectionsPage(social),
        signupPage(social),
        ...resultPages(social.account),
        ...providerPages(social),
        ...tokenPages(social),
      ]
    : []
