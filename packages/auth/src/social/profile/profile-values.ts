import { textAt } from './profile-path.ts'
import type { JsonObject } from '../../kernel/settings/json-object.ts'
import type { ProfilePath } from './profile-mapping.ts'

/** A text made of a profile. */
type ProfileText = (profile: JsonObject) => string

/** Texts at these places with blanks between them; empty ones are left out. */
export const joinTexts =
  (...paths: readonly ProfilePath[]): ProfileText =>
  (profile) =>
    paths
      .map((path) => textAt(profile, path))
      .filter((text) => text !== '')
      .join(' ')

/** A full name up to its first blank. Of several places the first that is there counts. */
export const firstWord =
  (...paths: readonly ProfilePath[]): ProfileText =>
  (profile) =>
    textAt(profile, ...paths).split(' ', 1)[0] ?? ''

/** A full name from its first blank on. */
export const otherWords =
  (...paths: readonly ProfilePath[]): ProfileText =>
  (profile) => {
    const name = textAt(profile, ...paths)
    return name.includes(' ') ? name.slice(name.indexOf(' ') + 1) : ''
  }

/** What stands before the `@`. */
export const beforeAt =
  (path: ProfilePath): ProfileText =>
  (profile) =>
    textAt(profile, path).split('@', 1)[0] ?? ''

/** The end of an address or path, after its last slash. */
export const lastSegment =
  (path: ProfilePath): ProfileText =>
  (profile) =>
    textAt(profile, path).split('/').at(-1) ?? ''
