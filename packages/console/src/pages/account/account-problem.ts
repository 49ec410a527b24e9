import { ClientError, type ApiError as Refusal, type Flow } from '@gatepost/auth/client'
import { ApiError } from '../../api/api-error.ts'

/** The service rejected the input, with a reason for each field. */
export class InputRejected extends Error {
  override readonly name = 'InputRefused'
  readonly refusals: readonly Refusal[]
  constructor(refusals: readonly Refusal[]) {
    super(refusals.map(({ code }) => code).join(', '))
    this.refusals = refusals
  }
}

/** The person must reauthenticate in one of these flows before the request can be repeated. */
export class ReauthenticationRequired extends Error {
  override readonly name = 'ConfirmationNeeded'
  readonly flows: readonly Flow[]
  constructor(flows: readonly Flow[]) {
    super('It is to be confirmed who asks.')
    this.flows = flows
  }
}

/** The person canceled the reauthentication: nothing was changed. */
export class ConfirmationCanceled extends Error {
  override readonly name = 'GaveUp'
}

/** The parts of a response that describe a failure. */
interface AnyResponse {
  readonly status: number
  readonly errors?: readonly Refusal[]
  readonly data?: unknown
  readonly meta?: { readonly is_authenticated?: boolean }
  readonly retryAfterSeconds?: number | null
}

/**
 * Returns the response of an operation if its status is 200 or one of `also`.
 * @throws {InputRejected} @throws {ReauthenticationRequired} @throws {ApiError} for everything else
 */
export async function callAccountApi<A extends { readonly status: number }, S extends A['status'] = never>(
  work: () => Promise<A>,
  also: readonly S[] = [],
): Promise<Extract<A, { readonly status: 200 | S }>> {
  let answer: A
  try {
    answer = await work()
  } catch (error) {
    throw error instanceof ClientError ? toClientApiError(error) : error
  }
  const hoped: readonly number[] = [200, ...also]
  if (!hoped.includes(answer.status)) throw toProblem(answer)
  return answer as Extract<A, { readonly status: 200 | S }> // its status is one of these
}

function toProblem(answer: AnyResponse): Error {
  const { status, errors = [] } = answer
  if (errors.length > 0) return new InputRejected(errors)
  switch (status) {
    case 401:
      return answer.meta?.is_authenticated === true
        ? new ReauthenticationRequired((answer.data as { readonly flows: readonly Flow[] }).flows) // every 401 has them
        : new ApiError('unauthorized', 'Signed out.', { status })
    case 404:
      return new ApiError('not_found', 'There is nothing at this address.', { status })
    case 409:
      // completed in another tab, or out of attempts
      return new InputRejected([{ code: 'step_over', message: 'This step is over. Begin it again.' }])
    case 429:
      return new ApiError('rate_limited', 'Too many requests.', {
        status,
        retryAfter: answer.retryAfterSeconds ?? null,
      })
    default:
      return new ApiError('scope_missing', 'This is not allowed.', { status })
  }
}

function toClientApiError(cause: ClientError): ApiError {
  const { status } = cause
  if (status === null) return new ApiError('no_answer', cause.message, {}, { cause })
  if (status === 403) return new ApiError('csrf_failed', cause.message, { status }, { cause })
  if (status >= 500)
    return new ApiError('internal_error', 'Something went wrong in the service.', { status }, { cause })
  return new ApiError('unreadable', cause.message, { status }, { cause })
}
