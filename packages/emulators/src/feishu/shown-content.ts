import type { ChatFile } from '../kit/chat-store.ts'

/** Content of a message as people see it. */
export interface ShownContent {
  readonly text: string
  readonly files: readonly ChatFile[]
  readonly fileKeys: readonly string[]
  /** Id of the card entity, if it shows one. */
  readonly cardId: string | null
  readonly unfinished: boolean
}

/** Returns content with only a text. */
export const plainContent = (text: string): ShownContent => ({
  text,
  files: [],
  fileKeys: [],
  cardId: null,
  unfinished: false,
})
