import { isUnavailable, SQL_ERRORS } from '@gatepost/sql'
import { AuthError } from '../../errors.ts'

/** How an error is answered. */
export interface Failure {
  readonly status: number
  readonly code: string
  /** English, a key of the catalogues: nothing of an error that nobody foresaw. */
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
  /** Nobody foresaw it, or the operator must know of it. */
  readonly isLogged: boolean
  /** Whether what the request has changed of its session is kept. */
  readonly keepsSession: boolean
}

/** Unlike the other texts of a 500 these are shown. */
const MESSAGES = { unforeseen: 'Something went wrong. Try again later.' } as const

const UNFORESEEN: Failure = {
  status: 500,
  code: 'internal_error',
  message: MESSAGES.unforeseen,
  headers: {},
  isLogged: true,
  keepsSession: false,
}

/** Returns the status, code and message that a visitor sees for an error. */
export function toFailure(error: unknown): Failure {
  if (error instanceof AuthError && error.status !== 500) {
    const { status, code, message, headers } = error
    // What could not be written a moment ago is not tried once more.
    return { status, code, message, headers, isLogged: false, keepsSession: code !== 'session_conflict' }
  }
  if (isUnavailable(error)) {
    const { status } = SQL_ERRORS.database_unavailable
    return { ...UNFORESEEN, status, code: 'database_unavailable', headers: { 'retry-after': '1' } }
  }
  return UNFORESEEN
}
