/** Additional fields of some errors. `retry_after` is in seconds. */
export interface FailureParameters {
  readonly retry_after?: number
  readonly migrate_to_chat_id?: number
}

/** An error of the Bot API: `{ok: false, error_code, description, parameters?}` with the code as HTTP status. */
export class TelegramFailure extends Error {
  override readonly name = 'TelegramFailure'
  readonly code: number
  readonly parameters: FailureParameters | undefined

  constructor(code: number, description: string, parameters?: FailureParameters) {
    super(description)
    this.code = code
    this.parameters = parameters
  }
}

/** Returns a 400 with the platform's prefix. */
export const badRequest = (what: string, parameters?: FailureParameters): TelegramFailure =>
  new TelegramFailure(400, `Bad Request: ${what}`, parameters)

/** Returns a 403 with the platform's prefix. */
export const forbidden = (what: string): TelegramFailure => new TelegramFailure(403, `Forbidden: ${what}`)

/** Returns a 429; the server adds the header `Retry-After`. */
export const tooManyRequests = (seconds: number): TelegramFailure =>
  new TelegramFailure(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds })

/** Returns the 409 for a poller that another one replaced. */
export const otherPoller = (): TelegramFailure =>
  new TelegramFailure(
    409,
    'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
  )

/** Returns the 409 for polling while a webhook is set. */
export const webhookActive = (): TelegramFailure =>
  new TelegramFailure(
    409,
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
  )
