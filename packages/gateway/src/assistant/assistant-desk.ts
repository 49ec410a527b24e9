/** Kinds of assistants. */
export const ASSISTANT_KINDS = ['echo', 'openai', 'http', 'command'] as const

/** A kind of assistant. */
export type AssistantKind = (typeof ASSISTANT_KINDS)[number]

/** Names of the assistant's settings in the API. */
export const ASSISTANT_FIELDS = ['kind', 'base_url', 'model', 'system_prompt', 'url', 'api_key', 'command'] as const

/** A name of an assistant's setting in the API. */
export type AssistantField = (typeof ASSISTANT_FIELDS)[number]

/** Changes to the assistant's settings; `null` restores the default. */
export interface AssistantChange {
  readonly kind?: Exclude<AssistantKind, 'command'> | null | undefined
  readonly base_url?: string | null | undefined
  readonly model?: string | null | undefined
  readonly system_prompt?: string | null | undefined
  readonly url?: string | null | undefined
  readonly api_key?: string | null | undefined
}

/** The assistant's settings, without secrets. */
export interface AssistantView {
  readonly kind: AssistantKind
  readonly baseUrl: string | null
  readonly model: string | null
  readonly systemPrompt: string
  readonly url: string | null
  /** Name of the program. */
  readonly program: string | null
  /** Asterisks and the last four characters; `null`: no key. */
  readonly apiKeyHint: string | null
  readonly fromEnvironment: readonly AssistantField[]
  /** Milliseconds since the Unix epoch; `null`: nothing is stored. */
  readonly changedAtMs: number | null
}

/** Number of files and timing of a test reply. */
export interface TrialResult {
  readonly files: number
  readonly first_piece_ms: number
  readonly took_ms: number
}

/** An event of a streamed test reply. */
export type TryEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'file'; readonly name: string; readonly mime: string; readonly bytes: number }
  | ({ readonly type: 'done' } & TrialResult)
  | {
      readonly type: 'failed'
      readonly code: 'assistant_failed'
      readonly reason: string
      readonly error: string
    }

/** Shows, changes and tests the assistant. */
export interface AssistantDesk {
  /** @throws {GatewayError} `assistant_unreadable` */
  view(): Promise<AssistantView>
  /** Returns the kind; the environment's if the stored settings can't be decrypted. */
  kind(): Promise<AssistantKind>
  /** @throws {GatewayError} `set_by_environment`, `assistant_invalid`, `assistant_unreadable` */
  change(change: AssistantChange): Promise<AssistantView>
  /** Removes the stored settings, even if they can't be decrypted. */
  reset(): Promise<AssistantView>
  /** @throws {GatewayError} as `change`, and `assistant_failed` */
  ask(message: string, settings: AssistantChange, signal: AbortSignal): Promise<{ readonly text: string } & TrialResult>
  /** @throws {GatewayError} as `change`, before the first event */
  stream(message: string, settings: AssistantChange, signal: AbortSignal): Promise<AsyncIterable<TryEvent>>
}
