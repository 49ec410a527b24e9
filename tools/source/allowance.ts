import type { Allowance } from './rules.ts'

/** How many violations the packages may still have. Lower a number when you lower the count; never raise one. */
export const ALLOWANCE: Allowance = {
  'folder-size': { auth: 6, channels: 2, console: 1, emulators: 2 },
  'of-name': { auth: 313, channels: 156, console: 115, emulators: 130, gateway: 97, sql: 1 },
  undocumented: { auth: 74, channels: 217, console: 31, emulators: 124, gateway: 79, sql: 9 },
}
