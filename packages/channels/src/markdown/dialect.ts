/**
 * How one platform writes formatted text.
 *
 * Markdown is read once into runs of text with marks (see `read.ts`); a dialect says how a run is written. What a
 * dialect cannot say is written as plain text, so nothing of the content is lost.
 */
export interface Dialect {
  /** Escapes text so that the platform shows exactly these characters. `inside`: the marks that are open around it. */
  text(text: string, inside: readonly Mark[]): string
  /** What is written before a run with this mark, and after it; `null`: this dialect has no such mark. */
  wrap(mark: Mark): { readonly open: string; readonly close: string } | null
  /** `rendered`: the limit counts the markup too. `visible`: it counts what is shown. */
  readonly measures: 'rendered' | 'visible'
  /** Most marks (entities) in one message; absent: no such limit. */
  readonly maxMarks?: number
}

export type Mark =
  | { readonly type: 'bold' | 'italic' | 'strike' | 'underline' | 'code' | 'quote' | 'spoiler' | 'heading' }
  | { readonly type: 'link'; readonly href: string }
  /** A fenced block; it never nests and is closed and opened again where a message is split. */
  | { readonly type: 'pre'; readonly language: string }
