/** Text that is shown in one way. */
export interface ShownSpan {
  readonly text: string
  readonly bold?: true
  readonly italic?: true
  readonly strike?: true
  readonly code?: true
  /** `http:`, `https:` or `mailto:`. */
  readonly href?: string
}

/** A block as people see it on the platform. */
export interface ShownBlock {
  readonly type: 'paragraph' | 'heading' | 'quote' | 'code' | 'item' | 'rule'
  /** Of a heading 1 to 6; of an item how deep it stands, from 0. */
  readonly level?: number
  /** What stands before an item, e.g. `•` or `2.`. */
  readonly marker?: string
  /** Of code, when it is known. */
  readonly language?: string
  readonly spans?: readonly ShownSpan[]
}

/** One message of those that a text becomes. */
export interface PreviewPart {
  /** What is sent. */
  readonly markup: string
  /** In `unit`s, as the platform counts it. */
  readonly size: number
  readonly limit: number
  readonly unit: 'utf16' | 'code_points' | 'bytes'
  readonly blocks: readonly ShownBlock[]
}
