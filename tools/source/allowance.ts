import type { Allowance } from './rules.ts'

/** How many violations the packages may still have. Lower a number when you lower the count; never raise one. */
export const ALLOWANCE: Allowance = {
  'folder-size': { auth: 6, channels: 2, console: 1 },
  'of-name': { auth: 313, console: 115, emulators: 129, sql: 1 },
  undocumented: { auth: 74, channels: 2, console: 31, emulators: 102, sql: 7 },
}
