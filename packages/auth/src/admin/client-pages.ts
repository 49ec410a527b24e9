import type { Core } from '../core.ts'
import type { PageRoute } from '../http/route.ts'

/** Where staff manage the clients of our OpenID Connect provider: not there yet. */
export const clientPages = (_core: Core): readonly PageRoute[] => []
