import type { Read } from './account-reads.ts'

/** Parts of the page, in the order in which they are listed. Each has an address of its own: `?section=emails`. */
export const SECTIONS = ['profile', 'emails', 'password', 'security', 'sessions', 'connections', 'programs'] as const
/** The name of a section of the account page. */
export type Section = (typeof SECTIONS)[number]

/** Those that this service has, as its settings are. */
export const sectionsOf = (config: Read<'config'>, { isByProviderAlone }: { readonly isByProviderAlone: boolean }) =>
  SECTIONS.filter((section) => {
    if (section === 'emails' || section === 'password') return !isByProviderAlone
    if (section === 'security') return config.mfa !== undefined
    if (section === 'sessions') return config.usersessions !== undefined
    return section !== 'connections' || config.socialaccount !== undefined
  })

/** The section that an address names; the first one where it names none that is there. @param search `?section=emails` */
export function sectionIn(search: string, sections: readonly Section[]): Section {
  const named = new URLSearchParams(search).get('section')
  return sections.find((section) => section === named) ?? 'profile'
}
