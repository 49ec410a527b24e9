/** Streams the reply of one turn. Independent of platforms, storage and retries. */
export interface Assistant {
  /**
   * Replies to one turn. Text arrives as pieces in order; concatenated, they are Markdown.
   * @throws {AssistantError} when there is no complete reply.
   */
  reply(turn: AssistantTurn, signal: AbortSignal): AsyncIterable<AssistantPiece>
}

/** The messages to answer, with the history and the chat. */
export interface AssistantTurn {
  /** The same at every retry of the turn. */
  readonly id: string
  readonly conversationId: string
  readonly platform: string
  readonly chat: { readonly kind: 'direct' | 'group'; readonly title?: string }
  /** Oldest first, within the history budget; the trailing `user` messages are the ones to answer. */
  readonly messages: readonly TurnMessage[]
}

/** One message of a turn. */
export interface TurnMessage {
  readonly role: 'user' | 'assistant'
  readonly text: string
  readonly atMs: number
  /** Who wrote it; only with `user`. */
  readonly from?: { readonly id: string; readonly name?: string }
  /** The text of the message that it replies to or quotes. */
  readonly quoted?: string
  readonly files: readonly TurnFile[]
}

/** A file that the user sent. `path` is absent when it could not be downloaded; `problem` is the reason. */
export interface TurnFile {
  readonly kind: 'image' | 'file' | 'voice' | 'audio' | 'video' | 'sticker'
  readonly name: string
  readonly mime: string
  readonly sizeBytes: number
  readonly path?: string
  readonly problem?: string
}

/** A piece of a reply: text, or a file. `isCut`: part of the reply was left out, and this text says so. */
export type AssistantPiece =
  | { readonly type: 'text'; readonly text: string; readonly isCut?: true }
  | { readonly type: 'file'; readonly name: string; readonly mime: string; readonly bytes: Uint8Array }

/** Why an assistant did not reply. `message` is shown to the operator, never to the user, and contains no secret. */
export class AssistantError extends Error {
  override readonly name = 'AssistantError'
  /** `busy` and `unreachable` are temporary, `refused` and `malformed` may be, `misconfigured` is not. */
  readonly code: 'unreachable' | 'busy' | 'timeout' | 'refused' | 'malformed' | 'misconfigured'
  readonly retryAfterMs: number | null
  constructor(code: AssistantError['code'], message: string, options: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : {})
    this.code = code
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}
