import { type ErrorDetails, GATEWAY_ERRORS, GatewayError } from './errors.ts'
import { AuthError, InvalidInput } from '@gatepost/auth'
import { ChannelError } from '@gatepost/channels'
import { isUnavailable, SQL_ERRORS, SqlError } from '@gatepost/sql'

/** The response for an error. */
export interface FailureAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: { readonly ok: false; readonly error: string; readonly code: string } & ErrorDetails
  /** Whether the error is unexpected and must be logged in full. */
  readonly unexpected: boolean
}

/** Converts an error to a response. Unexpected errors only reveal the request id. */
export function failureAnswer(error: unknown, requestId: string): FailureAnswer {
  if (error instanceof GatewayError) {
    const { body, ...others } = toExpectedFailure(error.status, error.code, error.message, error.headers)
    return { ...others, body: { ...body, ...error.details } }
  }
  if (error instanceof AuthError && error.status < 500) {
    return toExpectedFailure(error.status, error.code, error.message, error.headers)
  }
  if (error instanceof InvalidInput) {
    const { status, message } = GATEWAY_ERRORS.invalid_input
    return toExpectedFailure(status, 'invalid_input', inputMessage(error) || message, {})
  }
  if (error instanceof ChannelError)
    return toExpectedFailure(error.status, error.code, channelMessage(error), retryHeaders(error))
  if (error instanceof SqlError && isUnavailable(error)) {
    const { status, message } = SQL_ERRORS.database_unavailable
    return toExpectedFailure(status, 'database_unavailable', message, { 'retry-after': '1' })
  }
  if (error instanceof SqlError && error.status < 500)
    return toExpectedFailure(error.status, error.code, error.message, {})
  const sentence = `Internal error. See the log for request ${requestId}.`
  return { ...toExpectedFailure(500, 'internal_error', sentence, {}), unexpected: true }
}

const toExpectedFailure = (
  status: number,
  code: string,
  error: string,
  headers: Readonly<Record<string, string>>,
): FailureAnswer => ({ status, headers, body: { ok: false, error, code }, unexpected: false })

/** Returns a `retry-after` header if the platform requested a wait. */
function retryHeaders({ details }: ChannelError): Readonly<Record<string, string>> {
  const seconds = details['retry_after']
  return seconds === undefined ? {} : { 'retry-after': String(seconds) }
}

/** Joins all validation messages, each with its field. */
const inputMessage = ({ errors }: InvalidInput): string =>
  errors
    .map(
      ({ param, message, values }) =>
        `${param === undefined ? '' : `${toMemberName(param)}: `}${fillPlaceholders(message, values)}`,
    )
    .join(' ')

/** Converts a name to the API's snake case. */
const toMemberName = (param: string): string => param.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const fillPlaceholders = (message: string, values: Readonly<Record<string, string | number>> = {}): string =>
  message.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))

/** Returns the affected field of a validation error. */
function channelMessage(error: ChannelError): string {
  const field = error.details['field']
  return field === undefined || error.message.includes(String(field)) ? error.message : `${field}: ${error.message}`
}
