import type { AccountData } from './account-api.ts'

/** Sections of the page in order. Each has its own URL: `?section=emails`. */
export const SECTIONS = ['profile', 'emails', 'password', 'security', 'sessions', 'connections', 'programs'] as const
/** The name of a section of the account page. */
export type Section = (typeof SECTIONS)[number]

/** Returns the sections that this service's settings enable. */
export const availableSections = (
  config: AccountData<'config'>,
  { isByProviderAlone }: { readonly isByProviderAlone: boolean },
) =>
  SECTIONS.filter((section) => {
    if (section === 'emails' || section === 'password') return !isByProviderAlone
    if (section === 'security') return config.mfa !== undefined
    if (section === 'sessions') return config.usersessions !== undefined
    return section !== 'connections' || config.socialaccount !== undefined
  })

/** Returns the section a URL selects, or the first one. @param search e.g. `?section=emails` */
export function selectedSection(search: string, sections: readonly Section[]): Section {
  const named = new URLSearchParams(search).get('section')
  return sections.find((section) => section === named) ?? 'profile'
}
