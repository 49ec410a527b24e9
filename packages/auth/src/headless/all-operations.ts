import type { ConnectedKernel } from '../kernel/module.ts'
import type { ApiResource } from '../kernel/operations/operation.ts'
import { configResource } from './config.ts'

/** Loads the resources of every module that is on. */
export async function loadResources(kernel: ConnectedKernel): Promise<readonly ApiResource[]> {
  const ofModules = await Promise.all(kernel.modules.map((module) => module.operations?.() ?? Promise.resolve([])))
  return [configResource(kernel), ...ofModules.flat()]
}
