import { AuthError } from '../../errors.ts'
import { toFailure, jsonResponse } from '../../kernel/http/responses.ts'

const STATUS: Readonly<Record<string, number>> = { invalid_client: 401, invalid_token: 401, insufficient_scope: 403 }

/** An error response for clients: JSON with `error`. @see RFC 6749 section 5.2, RFC 6750 section 3 */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  readonly code: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** @param description ASCII without double quotes. Must not repeat input. */
  constructor(code: string, description: string, headers: Readonly<Record<string, string>> = {}, status?: number) {
    super(description)
    this.code = code
    this.status = status ?? STATUS[code] ?? 400
    this.headers = headers
  }
}

/** Converts an endpoint's error to a response. Unexpected errors are logged, and their details aren't shown. */
export function oauthFailure(error: unknown, onUnexpected: (error: unknown) => void): Response {
  if (error instanceof OAuthError) {
    const { code, message, status, headers } = error
    return addHeaders(jsonResponse({ error: code, error_description: message }, status), headers)
  }
  const { status, headers, isLogged } = toFailure(error)
  if (isLogged) onUnexpected(error)
  const code = error instanceof AuthError && status < 500 ? toOAuthErrorCode(error) : 'server_error'
  const description =
    status < 500 && error instanceof AuthError ? error.message : 'Something went wrong. Try again later.'
  return addHeaders(jsonResponse({ error: code, error_description: description }, status), headers)
}

const toOAuthErrorCode = ({ code }: AuthError): string =>
  code === 'rate_limited' ? 'temporarily_unavailable' : 'invalid_request'

function addHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}
