import type { Oidc } from './oidc.ts'
import type { PageRoute } from '../kernel/http/route.ts'
import { applicationPages } from './pages/application-pages.ts'
import { devicePages } from './pages/device-pages.ts'
import { interactionPages } from './pages/interaction-pages.ts'
import { requestedLogoutPages } from './pages/logout-pages.ts'

/** The pages of our OpenID Connect provider. */
export const oidcPages = (oidc: Oidc): readonly PageRoute[] =>
  oidc.kernel.settings.idpOidc.enabled
    ? [...interactionPages(oidc), ...devicePages(oidc), ...requestedLogoutPages(oidc), ...applicationPages(oidc)]
    : []
