import type { PageAnswer } from '../../../http/answer.ts'
import type { AuthRequest } from '../../../request.ts'

/** What a person reads when an answer cannot go to the client that sent them. English: keys of the catalogues. */
const MESSAGES: Readonly<Record<string, string>> = {
  invalid_client: 'The application that sent you here is not known.',
  invalid_redirect_uri:
    'The application that sent you here asks for an answer at an address that it has not registered.',
  invalid_request: 'The application that sent you here has sent a request that cannot be understood.',
  server_error: 'Something went wrong here. Try again later.',
}
const OVER = 'This request is over. Go back to the application, and begin anew.'

/** The page of a refusal that goes to nobody else: an address that was not checked gets no answer (RFC 9700 4.11). */
export function refusalPage(
  request: AuthRequest,
  { code, status }: { readonly code: string; readonly status: number },
): PageAnswer {
  const known = Object.hasOwn(MESSAGES, code) ? MESSAGES[code] : undefined
  const isOver = code === 'session_not_found' || request.url.pathname.split('/').length > 4
  const message = isOver && status < 500 ? OVER : (known ?? MESSAGES['invalid_request'] ?? OVER)
  return {
    kind: 'page',
    template: 'idp/oidc/error',
    status,
    context: { error: { code, description: request.t(message) }, error_form: null },
  }
}
