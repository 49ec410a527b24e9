/** An error of the REST API. */
export class DiscordFailure extends Error {
  override readonly name = 'DiscordFailure'
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
  constructor(
    status: number,
    code: number,
    message: string,
    more: {
      readonly body?: Readonly<Record<string, unknown>>
      readonly headers?: Readonly<Record<string, string>>
    } = {},
  ) {
    super(message)
    this.status = status
    this.body = { message, code, ...more.body }
    this.headers = more.headers ?? {}
  }
}

/** Returns a 401. */
export const unauthorized = (): DiscordFailure => new DiscordFailure(401, 0, '401: Unauthorized')
/** Returns a 404 for an unknown path. */
export const notFound = (): DiscordFailure => new DiscordFailure(404, 0, '404: Not Found')
/** Returns error 40333: the user agent is blocked. */
export const networkBlocked = (): DiscordFailure => new DiscordFailure(403, 40_333, 'internal network error')
/** Returns error 10003. */
export const unknownChannel = (): DiscordFailure => new DiscordFailure(404, 10_003, 'Unknown Channel')
/** Returns error 10008. */
export const unknownMessage = (): DiscordFailure => new DiscordFailure(404, 10_008, 'Unknown Message')
/** Returns error 10013. */
export const unknownUser = (): DiscordFailure => new DiscordFailure(404, 10_013, 'Unknown User')
/** Returns error 50006. */
export const emptyMessage = (): DiscordFailure => new DiscordFailure(400, 50_006, 'Cannot send an empty message')
/** Returns error 40005. */
export const tooLarge = (): DiscordFailure => new DiscordFailure(413, 40_005, 'Request entity too large')

/** Returns error 50035 for a form field. @param code E.g. `BASE_TYPE_MAX_LENGTH`. */
export const invalidForm = (field: string, code: string, message: string): DiscordFailure =>
  new DiscordFailure(400, 50_035, 'Invalid Form Body', {
    body: { errors: { [field]: { _errors: [{ code, message }] } } },
  })

/** Scope of a rate limit. */
export type RateScope = 'user' | 'global' | 'shared'

/** Returns a 429. @param retryAfterSeconds Can have decimals. */
export function rateLimited(retryAfterSeconds: number, scope: RateScope, code?: number): DiscordFailure {
  const isGlobal = scope === 'global'
  const failure = new DiscordFailure(429, code ?? 0, 'You are being rate limited.', {
    headers: {
      'retry-after': String(retryAfterSeconds),
      'x-ratelimit-scope': scope,
      ...(isGlobal && { 'x-ratelimit-global': 'true' }),
    },
  })
  const { message } = failure
  const body = { message, retry_after: retryAfterSeconds, global: isGlobal, ...(code !== undefined && { code }) }
  return Object.assign(failure, { body })
}
