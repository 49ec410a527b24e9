/**
 * No answer of the API came. `unreachable`: the request failed on its way, and may or may not have had its effect.
 * `unexpected_answer`: something else answered (a page, an error of the server, a proxy) with this `status`; 403 in a
 * browser is a missing CSRF token.
 */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly code: 'unreachable' | 'unexpected_answer'
  /** Status of HTTP; `null`: there was no answer. */
  readonly status: number | null
  constructor(code: 'unreachable' | 'unexpected_answer', status: number | null, options?: ErrorOptions) {
    super(status === null ? 'The server cannot be reached.' : `The server answered ${status}, not as its API.`, options)
    this.code = code
    this.status = status
  }
}
