import type { Core } from '../core.ts'
import type { PageRoute } from '../http/route.ts'

/** The page of one's sessions. */
export const userSessionPages = (_core: Core): readonly PageRoute[] => []
