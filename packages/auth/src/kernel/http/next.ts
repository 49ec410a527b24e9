import type { Kernel } from '../kernel.ts'
import type { Visit } from '../visit.ts'

/** Field that carries where to go afterwards from page to page. */
export const NEXT_FIELD = 'next'

/** Returns the path of the page itself, with its query. */
export const currentPath = ({ url }: Visit): string => `${url.pathname}${url.search}`

/** Returns `url` with `next` in its query, when there is one. */
export function withNext(url: string, next: string | null): string {
  if (next === null) return url
  return `${url}${url.includes('?') ? '&' : '?'}${NEXT_FIELD}=${encodeURIComponent(next).replaceAll('%2F', '/')}`
}

/** Returns where a setting leads that holds a path, a URL or the name of a page. */
export const settingUrl = (kernel: Pick<Kernel, 'has' | 'url'>, setting: string): string =>
  kernel.has(setting) ? kernel.url(setting) : setting
