import type { Core } from '../../core.ts'
import type { PageRoute } from '../../http/route.ts'

/** The pages of our OpenID Connect provider: not there yet. */
export const oidcPages = (_core: Core): readonly PageRoute[] => []
