import type { Core } from '../core.ts'
import type { PageRoute } from '../kernel/http/route.ts'
import { applicationPages } from './pages/application-pages.ts'
import { devicePages } from './pages/device-pages.ts'
import { interactionPages } from './pages/interaction-pages.ts'
import { requestedLogoutPages } from './pages/logout-pages.ts'

/** The pages of our OpenID Connect provider. */
export const oidcPages = (core: Core): readonly PageRoute[] =>
  core.settings.idpOidc.enabled
    ? [...interactionPages(core), ...devicePages(core), ...requestedLogoutPages(core), ...applicationPages(core)]
    : []
