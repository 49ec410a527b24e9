import { isPlatform, type Platform } from '../../parts/platform.tsx'

/** The filters of the list, kept in the URL. */
export interface Filters {
  readonly q: string
  readonly platform: Platform | ''
  readonly kind: 'direct' | 'group' | ''
  readonly state: 'waiting' | 'failed' | ''
}

/** Filters that match every conversation. */
export const NO_FILTERS: Filters = { q: '', platform: '', kind: '', state: '' }

/** Parses the filters of a URL, ignoring invalid values. */
export function parseFilters(search: Readonly<Record<string, unknown>>): Filters {
  const { q, platform, kind, state } = search
  const isText = typeof q === 'string' || typeof q === 'number'
  return {
    q: isText ? String(q).slice(0, 200) : '',
    platform: typeof platform === 'string' && isPlatform(platform) ? platform : '',
    kind: kind === 'direct' || kind === 'group' ? kind : '',
    state: state === 'waiting' || state === 'failed' ? state : '',
  }
}

/** Returns the filters for the URL, without empty ones. */
export const toSearch = (filters: Filters): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''))

/** Returns the filters for the API. */
export const toQuery = ({ q, platform, kind, state }: Filters) => ({
  ...(q.trim() !== '' && { q: q.trim() }),
  ...(platform !== '' && { platform }),
  ...(kind !== '' && { kind }),
  ...(state !== '' && { state }),
})
