import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { OidcPaths } from '../paths.ts'

/** What a person reads when an answer cannot go to the client that sent them. English: keys of the catalogues. */
const MESSAGES = {
  invalid_client: "The app that sent you here isn't registered.",
  invalid_redirect_uri: "The app that sent you here uses a redirect URI that isn't registered.",
  invalid_request: 'The app that sent you here made an invalid request.',
  server_error: 'Something went wrong. Try again later.',
  over: 'This request has expired or was started in another browser. Go back to the app and try again.',
} as const
const isKnown = (code: string): code is keyof typeof MESSAGES => Object.hasOwn(MESSAGES, code)

/** The page of a refusal that goes to nobody else: an address that was not checked gets no answer (RFC 9700 4.11). */
export function refusalPage(
  paths: OidcPaths,
  request: Visit,
  { code, status }: { readonly code: string; readonly status: number },
): PageAnswer {
  const isOver = status < 500 && paths.resumedUid(request.url.pathname) !== null
  const message = MESSAGES[isOver ? 'over' : isKnown(code) ? code : 'invalid_request']
  return {
    kind: 'page',
    template: 'idp/oidc/error',
    status,
    context: { error: { code, description: request.t(message) }, error_form: null },
  }
}
