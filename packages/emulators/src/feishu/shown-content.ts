import type { ChatFile } from '../kit/chat-store.ts'

/** What people see of a message. */
export interface ShownContent {
  readonly text: string
  readonly files: readonly ChatFile[]
  readonly fileKeys: readonly string[]
  /** The card entity that is shown, if it is one. */
  readonly cardId: string | null
  readonly unfinished: boolean
}

/** A text without files. */
export const plain = (text: string): ShownContent => ({
  text,
  files: [],
  fileKeys: [],
  cardId: null,
  unfinished: false,
})
