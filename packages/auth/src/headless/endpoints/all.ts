import type { Core } from '../../core.ts'
import type { ApiModule, ApiResource } from '../endpoint.ts'

/** A module that brings endpoints has its line here. */
const MODULES: readonly ApiModule[] = []

/** The resources that the settings have. */
export const resourcesOf = (core: Core): readonly ApiResource[] => MODULES.flatMap((resources) => resources(core))
