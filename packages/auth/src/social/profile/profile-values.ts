import { textAt } from './profile-path.ts'
import type { JsonObject } from '../../kernel/settings/json-object.ts'
import type { ProfilePath } from './profile-mapping.ts'

/** Reads a text from a profile. */
type ProfileText = (profile: JsonObject) => string

/** Reads the texts at these paths, joined by spaces. Leaves out empty ones. */
export const joinTexts =
  (...paths: readonly ProfilePath[]): ProfileText =>
  (profile) =>
    paths
      .map((path) => textAt(profile, path))
      .filter((text) => text !== '')
      .join(' ')

/** Reads a full name up to its first space, from the first path that has one. */
export const firstWord =
  (...paths: readonly ProfilePath[]): ProfileText =>
  (profile) =>
    textAt(profile, ...paths).split(' ', 1)[0] ?? ''

/** Reads a full name after its first space. */
export const otherWords =
  (...paths: readonly ProfilePath[]): ProfileText =>
  (profile) => {
    const name = textAt(profile, ...paths)
    return name.includes(' ') ? name.slice(name.indexOf(' ') + 1) : ''
  }

/** Reads the part of a text before the `@`. */
export const beforeAt =
  (path: ProfilePath): ProfileText =>
  (profile) =>
    textAt(profile, path).split('@', 1)[0] ?? ''

/** Reads the part of a URL or path after its last slash. */
export const lastSegment =
  (path: ProfilePath): ProfileText =>
  (profile) =>
    textAt(profile, path).split('/').at(-1) ?? ''
