import type { ConnectedKernel } from '../../kernel/module.ts'
import { type ApiResource, createResource, implement } from '../../kernel/operations/operation.ts'
import type { Headless } from '../headless.ts'
import { HEADLESS_OPERATIONS } from './table.ts'

/** Loads the resources of every module that is on. */
export async function loadResources(kernel: ConnectedKernel): Promise<readonly ApiResource[]> {
  const byModule = await Promise.all(kernel.modules.map((module) => module.operations?.() ?? Promise.resolve([])))
  return [configResource(kernel), ...byModule.flat()]
}

/** Serves the settings that a front end needs before sign-in. */
const configResource = (kernel: ConnectedKernel): ApiResource =>
  createResource([
    implement(HEADLESS_OPERATIONS.getConfig, async (visit) => {
      const data: Record<string, object> = {}
      for (const module of kernel.modules) Object.assign(data, await module.apiConfig?.(visit))
      return { kind: 'data', data }
    }),
  ])

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
