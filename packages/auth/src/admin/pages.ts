import type { Core } from '../core.ts'
import type { PageRoute } from '../kernel/http/route.ts'
import { clientPages } from './client-pages.ts'
import { socialAppPages } from './social-app-pages.ts'

/** Pages for staff: apps at providers, and clients of our own provider. */
export const adminPages = (core: Core): readonly PageRoute[] => [
  ...(core.settings.socialaccount.enabled ? socialAppPages(core) : []),
  ...(core.settings.idpOidc.enabled ? clientPages(core) : []),
]
