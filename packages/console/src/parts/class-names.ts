/** The names that are given, in one `class`. */
export const classNames = (...names: readonly (string | false | undefined | null)[]): string =>
  names.filter(Boolean).join(' ')
