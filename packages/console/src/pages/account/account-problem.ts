import { ClientError, type ApiError as Refusal, type Flow } from '@gatepost/auth/client'
import { ApiError } from '../../api/api-error.ts'

/** What was given cannot be taken: why, field by field. */
export class InputRefused extends Error {
  override readonly name = 'InputRefused'
  readonly refusals: readonly Refusal[]
  constructor(refusals: readonly Refusal[]) {
    super(refusals.map(({ code }) => code).join(', '))
    this.refusals = refusals
  }
}

/** The person has to confirm who they are, in one of these ways; then it may be asked again. */
export class ConfirmationNeeded extends Error {
  override readonly name = 'ConfirmationNeeded'
  readonly flows: readonly Flow[]
  constructor(flows: readonly Flow[]) {
    super('It is to be confirmed who asks.')
    this.flows = flows
  }
}

/** The person did not want to confirm who they are: nothing was done. */
export class GaveUp extends Error {
  override readonly name = 'GaveUp'
}

/** An answer of the accounts' API, as far as failures are told from it. */
interface AnyAnswer {
  readonly status: number
  readonly errors?: readonly Refusal[]
  readonly data?: unknown
  readonly meta?: { readonly is_authenticated?: boolean }
  readonly retryAfterSeconds?: number | null
}

/**
 * The answer of an operation when it is 200 or one of `also`.
 * @throws {InputRefused} @throws {ConfirmationNeeded} @throws {ApiError} for everything else
 */
export async function ask<A extends { readonly status: number }, S extends A['status'] = never>(
  work: () => Promise<A>,
  also: readonly S[] = [],
): Promise<Extract<A, { readonly status: 200 | S }>> {
  let answer: A
  try {
    answer = await work()
  } catch (error) {
    throw error instanceof ClientError ? withoutAnswer(error) : error
  }
  const hoped: readonly number[] = [200, ...also]
  if (!hoped.includes(answer.status)) throw problemOf(answer)
  return answer as Extract<A, { readonly status: 200 | S }> // it has one of these
}

function problemOf(answer: AnyAnswer): Error {
  const { status, errors = [] } = answer
  if (errors.length > 0) return new InputRefused(errors)
  switch (status) {
    case 401:
      return answer.meta?.is_authenticated === true
        ? new ConfirmationNeeded((answer.data as { readonly flows: readonly Flow[] }).flows) // every 401 has them
        : new ApiError('unauthorized', 'Signed out.', { status })
    case 404:
      return new ApiError('not_found', 'There is nothing at this address.', { status })
    case 409:
      // the step was taken elsewhere, or its tries are used up
      return new InputRefused([{ code: 'step_over', message: 'This step is over. Begin it again.' }])
    case 429:
      return new ApiError('rate_limited', 'Too many requests.', {
        status,
        retryAfter: answer.retryAfterSeconds ?? null,
      })
    default:
      return new ApiError('scope_missing', 'This is not allowed.', { status })
  }
}

function withoutAnswer(cause: ClientError): ApiError {
  const { status } = cause
  if (status === null) return new ApiError('no_answer', cause.message, {}, { cause })
  if (status === 403) return new ApiError('csrf_failed', cause.message, { status }, { cause })
  if (status >= 500)
    return new ApiError('internal_error', 'Something went wrong in the service.', { status }, { cause })
  return new ApiError('unreadable', cause.message, { status }, { cause })
}
