import { type ErrorDetails, GATEWAY_ERRORS, GatewayError } from './errors.ts'
import { AuthError, InvalidInput } from '@gatepost/auth'
import { ChannelError } from '@gatepost/channels'
import { isUnavailable, SQL_ERRORS, SqlError } from '@gatepost/sql'

/** The answer to a request that failed, in the one shape of all errors. */
export interface FailureAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: { readonly ok: false; readonly error: string; readonly code: string } & ErrorDetails
  /** Nobody expected this: it belongs into the log, whole. */
  readonly unexpected: boolean
}

/** Only errors that are made for clients speak for themselves; of any other the client learns the request id alone. */
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
  const sentence = `Something went wrong here. The log has it under request ${requestId}.`
  return { ...toExpectedFailure(500, 'internal_error', sentence, {}), unexpected: true }
}

const toExpectedFailure = (
  status: number,
  code: string,
  error: string,
  headers: Readonly<Record<string, string>>,
): FailureAnswer => ({ status, headers, body: { ok: false, error, code }, unexpected: false })

/** How long to wait, where the platform has said so. */
function retryHeaders({ details }: ChannelError): Readonly<Record<string, string>> {
  const seconds = details['retry_after']
  return seconds === undefined ? {} : { 'retry-after': String(seconds) }
}

/** Everything that is wrong, each with the name of its field. */
const inputMessage = ({ errors }: InvalidInput): string =>
  errors
    .map(
      ({ param, message, values }) =>
        `${param === undefined ? '' : `${toMemberName(param)}: `}${fillPlaceholders(message, values)}`,
    )
    .join(' ')

/** As the API calls what its packages call in their own way. */
const toMemberName = (param: string): string => param.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const fillPlaceholders = (message: string, values: Readonly<Record<string, string | number>> = {}): string =>
  message.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))

/** A failure of one field always names it. */
function channelMessage(error: ChannelError): string {
  const field = error.details['field']
  return field === undefined || error.message.includes(String(field)) ? error.message : `${field}: ${error.message}`
}
