import type { Core } from '../core.ts'
import type { PageRoute } from '../kernel/http/route.ts'
import { connectionsPage } from './pages/connections-page.ts'
import { providerPages } from './pages/provider-pages.ts'
import { resultPages } from './pages/result-pages.ts'
import { signupPage } from './pages/signup-page.ts'
import { tokenPages } from './pages/token-pages.ts'

/** The pages of logins at providers. */
export const socialAccountPages = (core: Core): readonly PageRoute[] =>
  core.settings.socialaccount.enabled
    ? [connectionsPage(core), signupPage(core), ...resultPages(core), ...providerPages(core), ...tokenPages(core)]
    : []
