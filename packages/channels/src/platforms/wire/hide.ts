const MOST_CHARACTERS = 300

/** Makes foreign words fit to be shown and logged: without these secrets, on one line, not too long. */
export const hiding =
  (...secrets: readonly string[]): ((words: string) => string) =>
  (words) => {
    let shown = words
    for (const secret of secrets) if (secret !== '') shown = shown.replaceAll(secret, '****')
    return shown.replace(/[\s\p{Cc}]+/gu, ' ').slice(0, MOST_CHARACTERS)
  }
