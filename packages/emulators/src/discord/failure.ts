/** An error as the REST interface answers it. */
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

export const unauthorized = (): DiscordFailure => new DiscordFailure(401, 0, '401: Unauthorized')
export const notFound = (): DiscordFailure => new DiscordFailure(404, 0, '404: Not Found')
export const blocked = (): DiscordFailure => new DiscordFailure(403, 40_333, 'internal network error')
export const unknownChannel = (): DiscordFailure => new DiscordFailure(404, 10_003, 'Unknown Channel')
export const unknownMessage = (): DiscordFailure => new DiscordFailure(404, 10_008, 'Unknown Message')
export const unknownUser = (): DiscordFailure => new DiscordFailure(404, 10_013, 'Unknown User')
export const emptyMessage = (): DiscordFailure => new DiscordFailure(400, 50_006, 'Cannot send an empty message')
export const tooLarge = (): DiscordFailure => new DiscordFailure(413, 40_005, 'Request entity too large')

/** A field of the form is wrong. @param code E.g. `BASE_TYPE_MAX_LENGTH`. */
export const invalidForm = (field: string, code: string, message: string): DiscordFailure =>
  new DiscordFailure(400, 50_035, 'Invalid Form Body', {
    body: { errors: { [field]: { _errors: [{ code, message }] } } },
  })

export type RateScope = 'user' | 'global' | 'shared'

/** @param retryAfterSeconds May have decimals. */
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
