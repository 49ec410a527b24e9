import { type ApiResource, createResource, implement } from '../../kernel/operations/operation.ts'
import type { Headless } from '../headless.ts'
import { HEADLESS_OPERATIONS } from './table.ts'

/** Returns the operation that gives apps new access tokens (4.2.7 of the reference). */
export const tokenResources = (headless: Headless): readonly ApiResource[] => [
  createResource(
    [
      implement(HEADLESS_OPERATIONS.refreshTokens, async (visit, { refresh_token }) => {
        const tokens = await headless.tokens.refresh(visit, refresh_token)
        return tokens === null ? { kind: 'data', status: 400 } : { kind: 'data', data: tokens }
      }),
    ],
    { limit: { action: 'refresh_token', per: 'ip' } },
  ),
]
