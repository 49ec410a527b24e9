import type { ConnectedKernel } from '../kernel/module.ts'
import { type ApiResource, operation } from '../kernel/operations/operation.ts'

/** Loads the resources of every module that is on. */
export async function loadResources(kernel: ConnectedKernel): Promise<readonly ApiResource[]> {
  const ofModules = await Promise.all(kernel.modules.map((module) => module.operations?.() ?? Promise.resolve([])))
  return [configResource(kernel), ...ofModules.flat()]
}

/** What a front end must know of the settings before anybody signs in. */
const configResource = (kernel: ConnectedKernel): ApiResource => ({
  path: 'config',
  tag: 'Configuration',
  access: 'anon',
  operations: {
    GET: operation({
      summary: 'Tells which ways to sign up and sign in there are',
      answers: { 200: 'Config' },
      async handle(visit) {
        const data: Record<string, object> = {}
        for (const module of kernel.modules) Object.assign(data, await module.apiConfig?.(visit))
        return { kind: 'data', data }
      },
    }),
  },
})
