import type { ErrorCode } from './gateway-api.ts'

/**
 * Why a call has no answer. `no_answer`: the service cannot be reached. `unreadable`: something else answers for it.
 * `rate_limited`: accounts were asked too often.
 */
export type FailureCode = ErrorCode | 'no_answer' | 'unreadable' | 'rate_limited'

/** A refusal or failure of a call, as the service names it. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** Stable; one that this page does not know yet is possible after an update of the service. */
  readonly code: FailureCode
  /** HTTP status; 0: there was no answer. */
  readonly status: number
  /** For the log of the service. */
  readonly requestId: string | null
  /** Seconds after which it may be tried again. */
  readonly retryAfter: number | null
  /** The field that it is about, as the API calls it. */
  readonly field: string | null

  /** @param message The service's sentence, in English. */
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

/** The error of an answer whose status says that there is one. */
export async function errorOfAnswer(response: Response): Promise<ApiError> {
  const { status, headers } = response
  const retry = Number(headers.get('retry-after') ?? Number.NaN)
  const of = { status, requestId: headers.get('x-request-id'), retryAfter: Number.isFinite(retry) ? retry : null }
  const body: unknown = await response.json().catch(() => null) // a proxy answers what it likes: said below
  const isOurs = typeof body === 'object' && body !== null && 'code' in body && 'error' in body
  if (!isOurs) return new ApiError('unreadable', `The answer was ${status}.`, of)
  const field = 'field' in body && typeof body.field === 'string' ? body.field : null
  return new ApiError(body.code as ErrorCode, String(body.error), { ...of, field }) // the service names it by its own table
}
