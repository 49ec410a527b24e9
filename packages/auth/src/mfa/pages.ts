import type { Core } from '../core.ts'
import type { PageRoute } from '../http/route.ts'

/** The pages of second factors that these settings have. */
export const mfaPages = (_core: Core): readonly PageRoute[] => []
