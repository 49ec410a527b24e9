/** Longer headers are cut: no browser sends one. */
const MAX_LENGTH = 1_000
const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/**
 * The best of `languages` for an `Accept-Language` header; the first of them when nothing fits.
 * A range fits a language of the same tag, else one of the same language and script: `zh-CN` and `zh` fit `zh-hans`,
 * `zh-TW` does not, `de-AT` fits `de`.
 * @see RFC 9110 section 12.5.4 (weights), RFC 4647 section 3.4 (lookup), UTS 35 "Likely Subtags"
 */
export function negotiateLanguage(acceptLanguage: string | null, languages: readonly string[]): string {
  const first = languages[0] ?? 'en'
  const offered = languages.map((language) => ({ language, locale: locale(language) }))
  for (const range of ranges(acceptLanguage ?? '')) {
    if (range === '*') return first
    const wanted = locale(range)
    if (!wanted) continue
    const exact = offered.find(({ locale }) => locale?.tag === wanted.tag)
    const near = offered.find(({ locale }) => locale?.language === wanted.language && locale.script === wanted.script)
    const found = exact ?? near
    if (found) return found.language
  }
  return first
}

/** Ranges with a weight above 0, the heaviest first; of equal ones the first. */
function ranges(header: string): readonly string[] {
  return header
    .slice(0, MAX_LENGTH)
    .split(',')
    .map((entry) => {
      const [range = '', ...parameters] = entry.split(';').map((part) => part.trim())
      const weight = parameters.find((parameter) => /^q\s*=/i.test(parameter))?.replace(/^q\s*=\s*/i, '')
      return { range, weight: weight === undefined ? 1 : WEIGHT.test(weight) ? Number(weight) : 0 }
    })
    .filter(({ range, weight }) => range !== '' && weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ range }) => range)
}

interface Locale {
  readonly tag: string
  readonly language: string
  readonly script: string | undefined
}

/** `null` for what is no language tag. */
function locale(tag: string): Locale | null {
  if (!/^[a-z0-9-]{2,35}$/i.test(tag)) return null
  try {
    const { language, script } = new Intl.Locale(tag).maximize()
    return { tag: tag.toLowerCase(), language, script }
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
