import type { Core } from '../core.ts'
import type { PageRoute } from '../http/route.ts'

/** The pages of logins at providers: not there yet. */
export const socialAccountPages = (_core: Core): readonly PageRoute[] => []
