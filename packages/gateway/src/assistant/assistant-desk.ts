/** Who may answer. */
export const ASSISTANT_KINDS = ['echo', 'openai', 'http', 'command'] as const

/** One of them. */
export type AssistantKind = (typeof ASSISTANT_KINDS)[number]

/** Names of the settings of an assistant, as the API calls them. */
export const ASSISTANT_FIELDS = ['kind', 'base_url', 'model', 'system_prompt', 'url', 'api_key', 'command'] as const

/** One of them. */
export type AssistantField = (typeof ASSISTANT_FIELDS)[number]

/** What can be changed; `null`: back to the default. */
export interface AssistantChange {
  readonly kind?: Exclude<AssistantKind, 'command'> | null | undefined
  readonly base_url?: string | null | undefined
  readonly model?: string | null | undefined
  readonly system_prompt?: string | null | undefined
  readonly url?: string | null | undefined
  readonly api_key?: string | null | undefined
}

/** Who answers, without their secrets. */
export interface AssistantView {
  readonly kind: AssistantKind
  readonly baseUrl: string | null
  readonly model: string | null
  readonly systemPrompt: string
  readonly url: string | null
  /** Name of the program. */
  readonly program: string | null
  /** Asterisks and the last four characters; `null`: there is no key. */
  readonly apiKeyHint: string | null
  readonly fromEnvironment: readonly AssistantField[]
  /** Milliseconds since the Unix epoch; `null`: nothing is stored. */
  readonly changedAtMs: number | null
}

/** How long an answer took. */
export interface TryFigures {
  readonly files: number
  readonly first_piece_ms: number
  readonly took_ms: number
}

/** What is seen of an answer as it grows. */
export type TryEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'file'; readonly name: string; readonly mime: string; readonly bytes: number }
  | ({ readonly type: 'done' } & TryFigures)
  | {
      readonly type: 'failed'
      readonly code: 'assistant_failed'
      readonly reason: string
      readonly error: string
    }

/** Where staff see, change and try who answers. */
export interface AssistantDesk {
  /** @throws {GatewayError} `assistant_unreadable` */
  view(): Promise<AssistantView>
  /** Also when what is stored cannot be read: the environment's then. */
  kind(): Promise<AssistantKind>
  /** @throws {GatewayError} `set_by_environment`, `assistant_invalid`, `assistant_unreadable` */
  change(change: AssistantChange): Promise<AssistantView>
  /** Forgets what is stored, readable or not. */
  reset(): Promise<AssistantView>
  /** @throws {GatewayError} as `change`, and `assistant_failed` */
  ask(message: string, settings: AssistantChange, signal: AbortSignal): Promise<{ readonly text: string } & TryFigures>
  /** @throws {GatewayError} as `change`, before the first event */
  stream(message: string, settings: AssistantChange, signal: AbortSignal): Promise<AsyncIterable<TryEvent>>
}
