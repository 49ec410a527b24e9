import { AuthError } from '../../errors.ts'
import { toFailure, jsonResponse } from '../../kernel/http/responses.ts'

const STATUS: Readonly<Record<string, number>> = { invalid_client: 401, invalid_token: 401, insufficient_scope: 403 }

/** A refusal as clients read it: JSON with `error`. @see RFC 6749 section 5.2, RFC 6750 section 3 */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  readonly code: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** @param description Plain ASCII without quotes; never what was sent. */
  constructor(code: string, description: string, headers: Readonly<Record<string, string>> = {}, status?: number) {
    super(description)
    this.code = code
    this.status = status ?? STATUS[code] ?? 400
    this.headers = headers
  }
}

/** Converts an endpoint's exception to a response; unexpected errors reveal nothing. */
export function oauthFailure(error: unknown, onUnforeseen: (error: unknown) => void): Response {
  if (error instanceof OAuthError) {
    const { code, message, status, headers } = error
    return addHeaders(jsonResponse({ error: code, error_description: message }, status), headers)
  }
  const { status, headers, isLogged } = toFailure(error)
  if (isLogged) onUnforeseen(error)
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
