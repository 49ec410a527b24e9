import type { Allowance } from './rules.ts'

/** What the packages still may have. Lower a number when you lower the count; never raise one. */
export const ALLOWANCE: Allowance = {}
