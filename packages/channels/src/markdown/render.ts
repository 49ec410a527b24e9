import { cleanText, isBlank, measureText, type Unit } from './plain-text.ts'
import { plainDialect, plainRuns } from './dialect.ts'
import { readMarkdown } from './read.ts'
import { type RenderedPart, type RenderOptions, splitRuns } from './split.ts'

export type { RenderedPart, RenderOptions } from './split.ts'

/** Below this nothing can be promised: one escaped character and its marks must fit. */
const MIN_SIZE = 16

/** Anything that could mean something in Markdown, or that reading changes. */
const NOT_PLAIN =
  // oxlint-disable-next-line no-control-regex -- control characters are among what this looks for
  /[\\`*_~[\]<>&|@\u0000-\u0009\u000b-\u001f\u007f-\u009f]|:\/\/|www\.|mailto:|xmpp:|(?:^|\n)[ #=+\-:\d]| {2}| \n|\n\n\n/i

/**
 * Writes Markdown in a platform's dialect, in parts within its limit.
 *
 * The visible text of the parts, in order, is the visible text of the whole. Only white space is dropped: all of it at
 * the end of a part; at the start of a part the rest of it up to its last line break, so that indentation stays (unless
 * longer than a sixteenth of `max`). Marks that are open at a break are closed and opened again. `plain` holds in
 * addition the addresses of links, except those longer than half of `max`. When markup alone would fill more than half
 * of a part, it is left out, and an address follows its text in parentheses.
 * @returns No part when nothing would be seen; otherwise no part that is empty or only white space.
 * @throws {RangeError} when `max` is not a whole number of at least 16.
 */
export function renderMarkdown(source: string, options: RenderOptions): readonly RenderedPart[] {
  requireSize(options.max)
  if (!options.withRuns && !NOT_PLAIN.test(source)) {
    const text = source.toWellFormed().trim()
    const body = options.dialect.text(text, [])
    const size = Math.max(measureText(body, options.unit), measureText(text, options.unit))
    if (size <= options.max) return isBlank(text) ? [] : [{ body, plain: text }]
    return splitRuns(plainRuns(text), options)
  }
  return splitRuns(readMarkdown(source), options)
}

/** Splits text for a platform or a reader without formatting. The same is dropped at a break as by `renderMarkdown`. */
export function renderPlain(
  text: string,
  options: { readonly max: number; readonly unit: Unit },
): readonly RenderedPart[] {
  requireSize(options.max)
  return splitRuns(plainRuns(cleanText(text)), { ...options, dialect: plainDialect })
}

function requireSize(max: number): void {
  if (!Number.isInteger(max) || max < MIN_SIZE) throw new RangeError(`max must be a whole number from ${MIN_SIZE}`)
}
