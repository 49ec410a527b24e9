import { isPlatform, type Platform } from '../../../parts/platform.tsx'

/** What of the list is shown; it stands in the address of the page. */
export interface Filters {
  readonly q: string
  readonly platform: Platform | ''
  readonly kind: 'direct' | 'group' | ''
  readonly state: 'waiting' | 'failed' | ''
}

/** Filters that match every conversation. */
export const NO_FILTERS: Filters = { q: '', platform: '', kind: '', state: '' }

/** What an address asks for; what it cannot ask for is left out. */
export function filtersOf(search: Readonly<Record<string, unknown>>): Filters {
  const { q, platform, kind, state } = search
  const isText = typeof q === 'string' || typeof q === 'number'
  return {
    q: isText ? String(q).slice(0, 200) : '',
    platform: typeof platform === 'string' && isPlatform(platform) ? platform : '',
    kind: kind === 'direct' || kind === 'group' ? kind : '',
    state: state === 'waiting' || state === 'failed' ? state : '',
  }
}

/** The filters as an address holds them: only those that are set. */
export const searchOf = (filters: Filters): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''))

/** The filters as the service takes them. */
export const queryOf = ({ q, platform, kind, state }: Filters) => ({
  ...(q.trim() !== '' && { q: q.trim() }),
  ...(platform !== '' && { platform }),
  ...(kind !== '' && { kind }),
  ...(state !== '' && { state }),
})
