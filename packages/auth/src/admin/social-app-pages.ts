import type { Core } from '../core.ts'
import type { PageRoute } from '../http/route.ts'

/** Where staff manage our apps at providers: not there yet. */
export const socialAppPages = (_core: Core): readonly PageRoute[] => []
