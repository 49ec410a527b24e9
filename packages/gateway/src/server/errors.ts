/** Failures of the HTTP layer itself; the table in `docs/` is generated from this object. */
export const GATEWAY_ERRORS: Readonly<Record<GatewayErrorCode, { readonly status: number; readonly message: string }>> =
  {
    bad_request: { status: 400, message: 'This is not a valid HTTP request.' },
    malformed_json: { status: 400, message: 'The body is not valid JSON.' },
    unauthorized: { status: 401, message: 'Sign in, or send a valid bearer token.' },
    scope_missing: { status: 403, message: 'This caller may not do this: its scopes do not allow it.' },
    second_factor_required: {
      status: 403,
      message: 'This is for staff, and staff need a second factor here: set one up at /accounts/2fa/.',
    },
    scope_not_allowed: { status: 403, message: 'A token cannot be allowed more than the one who makes it.' },
    csrf_failed: {
      status: 403,
      message: 'A request with a session must carry the value of the cookie csrftoken in the header X-CSRFToken.',
    },
    foreign_origin: { status: 403, message: 'Requests from other sites are not accepted.' },
    not_found: { status: 404, message: 'There is nothing at this address.' },
    unknown_account: { status: 404, message: 'There is no account of this id.' },
    unknown_token: { status: 404, message: 'There is no token of this id.' },
    unknown_invitation: { status: 404, message: 'There is no open invitation of this id.' },
    no_demo: { status: 404, message: 'This service is no demo: `npx gatepost demo` starts one.' },
    method_not_allowed: { status: 405, message: 'This address does not take this method.' },
    no_first_account: { status: 409, message: 'Create the first account first, by the link that every start prints.' },
    own_account: { status: 409, message: 'Nobody changes what they are themselves: ask somebody else of staff.' },
    owner_account: { status: 409, message: 'The account of the owner token is changed with the owner token alone.' },
    too_many_tokens: { status: 409, message: 'There are 100 valid tokens already: revoke one first.' },
    public_client: { status: 409, message: 'A public client has no secret.' },
    demo_not_here: { status: 409, message: 'A demo is started on the machine itself, by `npx gatepost demo`.' },
    set_by_environment: { status: 409, message: 'The environment sets this: it is changed there, and not here.' },
    assistant_unreadable: {
      status: 409,
      message: 'What is stored of the assistant cannot be read with this secret key: reset it.',
    },
    body_too_large: { status: 413, message: 'The body is larger than 1 MiB.' },
    unsupported_media_type: { status: 415, message: 'The body must be sent as application/json.' },
    unknown_host: { status: 421, message: 'This server is not known by this host name. Set GATEPOST_PUBLIC_URL.' },
    invalid_body: { status: 422, message: 'The body does not have the right form.' },
    invalid_input: { status: 422, message: 'Some of what was given cannot be taken.' },
    invalid_query: { status: 422, message: 'The query does not have the right form.' },
    demo_refused: { status: 422, message: 'The emulated platform cannot do this.' },
    assistant_invalid: { status: 422, message: 'These settings of the assistant cannot work.' },
    internal_error: { status: 500, message: 'Something went wrong here.' },
    demo_failed: { status: 502, message: 'The demo did not start.' },
    assistant_failed: { status: 502, message: 'The assistant did not answer.' },
    stopping: { status: 503, message: 'The server is stopping.' },
    console_missing: { status: 503, message: 'The web console has not been built: run `npm start`.' },
  }

export type GatewayErrorCode =
  | 'bad_request'
  | 'malformed_json'
  | 'unauthorized'
  | 'scope_missing'
  | 'second_factor_required'
  | 'scope_not_allowed'
  | 'csrf_failed'
  | 'foreign_origin'
  | 'not_found'
  | 'unknown_account'
  | 'unknown_token'
  | 'unknown_invitation'
  | 'no_demo'
  | 'method_not_allowed'
  | 'no_first_account'
  | 'own_account'
  | 'owner_account'
  | 'too_many_tokens'
  | 'public_client'
  | 'demo_not_here'
  | 'set_by_environment'
  | 'assistant_unreadable'
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'unknown_host'
  | 'invalid_body'
  | 'invalid_input'
  | 'invalid_query'
  | 'demo_refused'
  | 'assistant_invalid'
  | 'internal_error'
  | 'assistant_failed'
  | 'demo_failed'
  | 'stopping'
  | 'console_missing'

/** What an error says besides, for programs. */
export interface ErrorDetails {
  /** Name of the field that it is about. */
  readonly field?: string
  /** Code of whoever it comes from. */
  readonly reason?: string
}

/** `message`, `headers` and `details` reach the client: never a token or a value of the request. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  readonly code: GatewayErrorCode
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Members of the answer besides `error` and `code`. */
  readonly details: ErrorDetails
  constructor(
    code: GatewayErrorCode,
    options: { message?: string; headers?: Record<string, string>; details?: ErrorDetails; cause?: unknown } = {},
  ) {
    super(options.message ?? GATEWAY_ERRORS[code].message, 'cause' in options ? { cause: options.cause } : {})
    this.code = code
    this.status = GATEWAY_ERRORS[code].status
    this.headers = options.headers ?? {}
    this.details = options.details ?? {}
  }
}

/** The service cannot start. `message` is one sentence for the operator that names what to change. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
