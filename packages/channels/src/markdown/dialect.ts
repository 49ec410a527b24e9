/**
 * How one platform writes formatted text.
 *
 * Markdown is read once into runs of text with marks (see `read.ts`); a dialect says how a run is written. What a
 * dialect cannot say is written as plain text, so nothing of the content is lost.
 */
export interface Dialect {
  /**
   * Escapes text so that the platform shows exactly these characters. `inside`: the marks that are open around it,
   * outermost first. One code point may become at most 8 units of the platform's limit.
   */
  text(text: string, inside: readonly Mark[]): string
  /** What is written before a run with this mark, and after it; `null`: this dialect has no such mark. */
  wrap(mark: Mark): { readonly open: string; readonly close: string } | null
  /** `rendered`: the limit counts the markup too. `visible`: it counts what is shown. */
  readonly measures: 'rendered' | 'visible'
  /** Most marks (entities) in one message; absent: no such limit. */
  readonly maxMarks?: number
}

/** Formatting of a run of text. */
export type Mark =
  | { readonly type: 'bold' | 'italic' | 'strike' | 'underline' | 'code' | 'quote' | 'spoiler' | 'heading' }
  /** `literal`: the text is the address itself, so a dialect need not write the address once more. */
  | { readonly type: 'link'; readonly href: string; readonly literal: boolean }
  /** A fenced block; it never nests and is closed and opened again where a message is split. */
  | { readonly type: 'pre'; readonly language: string }

/** Text with the marks around it, outermost first. The same mark object in neighbouring runs is one mark. */
export interface Run {
  readonly text: string
  readonly marks: readonly Mark[]
  /** This run is the gap between two blocks: the best place to split. */
  readonly border: boolean
}

/** No marks at all; a link's address follows its text in parentheses. */
export const plainDialect: Dialect = {
  text: (text) => text,
  wrap: (mark) => (mark.type === 'link' && !mark.literal ? { open: '', close: ` (${mark.href})` } : null),
  measures: 'rendered',
}

const BLANK_LINES = /(\n\n+)/

/** Text without any mark; its empty lines are borders of blocks. */
export function plainRuns(text: string): readonly Run[] {
  return text
    .split(BLANK_LINES)
    .map((piece, i) => ({ text: piece, marks: [], border: i % 2 === 1 }))
    .filter((run) => run.text !== '')
}
