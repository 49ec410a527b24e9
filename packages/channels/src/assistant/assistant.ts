/** Who answers. Streams the reply of one turn; knows nothing of platforms, storage or retries. */
export interface Assistant {
  /**
   * Answers one turn. Text arrives as pieces in order; their concatenation is Markdown.
   * @throws {AssistantError} when no (complete) answer could be had.
   */
  reply(turn: AssistantTurn, signal: AbortSignal): AsyncIterable<AssistantPiece>
}

export interface AssistantTurn {
  /** The same at every retry of the turn. */
  readonly id: string
  readonly conversationId: string
  readonly platform: string
  readonly chat: { readonly kind: 'direct' | 'group'; readonly title?: string }
  /** Oldest first, within the history budget; the messages to answer are the `user` ones at the end. */
  readonly messages: readonly TurnMessage[]
}

export interface TurnMessage {
  readonly role: 'user' | 'assistant'
  readonly text: string
  readonly atMs: number
  /** Who wrote it; only with `user`. */
  readonly from?: { readonly id: string; readonly name?: string }
  /** The text of the message that it answers or quotes. */
  readonly quoted?: string
  readonly files: readonly TurnFile[]
}

/** A file that the person sent. `path` is absent when it could not be fetched; `problem` says why. */
export interface TurnFile {
  readonly kind: 'image' | 'file' | 'voice' | 'audio' | 'video' | 'sticker'
  readonly name: string
  readonly mime: string
  readonly sizeBytes: number
  readonly path?: string
  readonly problem?: string
}

export type AssistantPiece =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'file'; readonly name: string; readonly mime: string; readonly bytes: Uint8Array }

/** Why an assistant did not answer. `message` is shown to the operator, never to the person: no secret in it. */
export class AssistantError extends Error {
  override readonly name = 'AssistantError'
  /** `busy` and `unreachable` pass by themselves, `refused` and `malformed` may, `misconfigured` does not. */
  readonly code: 'unreachable' | 'busy' | 'timeout' | 'refused' | 'malformed' | 'misconfigured'
  readonly retryAfterMs: number | null
  constructor(code: AssistantError['code'], message: string, options: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : {})
    this.code = code
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}
