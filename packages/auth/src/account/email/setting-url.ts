import type { Core } from '../../core.ts'

/** Where a setting leads that holds a path, a URL or the name of a page. */
export const settingUrl = (core: Core, setting: string): string => (core.has(setting) ? core.url(setting) : setting)
