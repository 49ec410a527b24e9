import type { Shapes } from './shape.ts'
import { CORE_SHAPES } from './shapes/core.ts'

/** All providers, by id. */
export const SHAPES: Shapes = {
  ...CORE_SHAPES,
}
