import type { ErrorCode } from './gateway-api.ts'

/**
 * Why a call failed.
 * `no_answer`: the service can't be reached. `unreadable`: something other than the service responded.
 * `rate_limited`: too many requests to the API of accounts.
 */
export type FailureCode = ErrorCode | 'no_answer' | 'unreadable' | 'rate_limited'

/** An error response of the service, or the failure to get a response. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** Stable. After an update of the service it may be one this page doesn't know. */
  readonly code: FailureCode
  /** HTTP status; 0 if there was no response. */
  readonly status: number
  /** Identifies the request in the service's log. */
  readonly requestId: string | null
  /** Seconds to wait before retrying. */
  readonly retryAfter: number | null
  /** The API name of the field that caused the error. */
  readonly field: string | null

  /** @param message The service's message, in English. */
  constructor(
    code: FailureCode,
    message: string,
    of: {
      readonly status?: number
      readonly requestId?: string | null
      readonly retryAfter?: number | null
      readonly field?: string | null
    } = {},
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.code = code
    this.status = of.status ?? 0
    this.requestId = of.requestId ?? null
    this.retryAfter = of.retryAfter ?? null
    this.field = of.field ?? null
  }
}

/** Returns the error of a response whose status isn't a success. */
export async function toApiError(response: Response): Promise<ApiError> {
  const { status, headers } = response
  const retry = Number(headers.get('retry-after') ?? Number.NaN)
  const of = { status, requestId: headers.get('x-request-id'), retryAfter: Number.isFinite(retry) ? retry : null }
  const body: unknown = await response.json().catch(() => null) // a proxy may return anything: reported below
  const isOurs = typeof body === 'object' && body !== null && 'code' in body && 'error' in body
  if (!isOurs) return new ApiError('unreadable', `The answer was ${status}.`, of)
  const field = 'field' in body && typeof body.field === 'string' ? body.field : null
  return new ApiError(body.code as ErrorCode, String(body.error), { ...of, field }) // the service's codes are those of the type
}
