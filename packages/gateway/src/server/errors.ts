/** Failures of the HTTP layer itself; the table in `docs/` is generated from this object. */
export const GATEWAY_ERRORS: Readonly<Record<GatewayErrorCode, { readonly status: number; readonly message: string }>> =
  {
    bad_request: { status: 400, message: "This isn't a valid HTTP request." },
    malformed_json: { status: 400, message: "The body isn't valid JSON." },
    unauthorized: { status: 401, message: 'Sign in, or send a valid bearer token.' },
    scope_missing: { status: 403, message: "Your token doesn't have the scope that this request needs." },
    second_factor_required: {
      status: 403,
      message: 'This service requires two-factor authentication for staff. Set it up at /accounts/2fa/.',
    },
    reauthentication_required: {
      status: 403,
      message: "Confirm that it's you, then repeat the request. `flows` lists how: see the JSON API of accounts.",
    },
    scope_not_allowed: { status: 403, message: "A token can't have more permissions than its creator." },
    csrf_failed: {
      status: 403,
      message: 'Requests with a session need the value of the csrftoken cookie in the X-CSRFToken header.',
    },
    foreign_origin: { status: 403, message: "Requests from other sites aren't accepted." },
    not_found: { status: 404, message: 'Not found. Check the URL.' },
    unknown_account: { status: 404, message: "This account doesn't exist." },
    unknown_token: { status: 404, message: "This token doesn't exist." },
    unknown_invitation: { status: 404, message: "This invitation doesn't exist, or was already used or revoked." },
    no_demo: { status: 404, message: 'No demo is running. Start one with `npx gatepost demo`.' },
    method_not_allowed: { status: 405, message: "This address doesn't support this method." },
    no_first_account: {
      status: 409,
      message: 'Create the first account with the link that the service prints at start.',
    },
    own_account: { status: 409, message: "You can't change your own account here. Ask another staff member." },
    owner_account: { status: 409, message: "Only the owner token can change the owner's account." },
    too_many_tokens: {
      status: 409,
      message: 'This account has as many valid tokens as it may have. Revoke one first.',
    },
    public_client: { status: 409, message: 'A public client has no secret.' },
    demo_not_here: {
      status: 409,
      message: "Demos can only be started on the server's own machine, with `npx gatepost demo`.",
    },
    set_by_environment: { status: 409, message: 'An environment variable sets this. Change it there.' },
    assistant_unreadable: {
      status: 409,
      message: "Couldn't decrypt the assistant's settings with this secret key. Reset them.",
    },
    body_too_large: { status: 413, message: 'The body is larger than 1 MiB.' },
    unsupported_media_type: { status: 415, message: 'The body must be application/json.' },
    unknown_host: {
      status: 421,
      message: 'Unknown host name. Set GATEPOST_PUBLIC_URL to the address that clients use.',
    },
    invalid_body: { status: 422, message: 'The request body is invalid.' },
    invalid_input: { status: 422, message: 'Some values are invalid.' },
    invalid_query: { status: 422, message: 'The query string is invalid.' },
    demo_refused: { status: 422, message: "The emulated platform doesn't support this." },
    assistant_invalid: { status: 422, message: "The assistant's settings are invalid." },
    too_many_requests: { status: 429, message: 'Too many requests from this account. Wait, then try again.' },
    too_many_streams: { status: 429, message: 'This account has too many event streams open. Close one first.' },
    internal_error: { status: 500, message: 'Internal error. See the log of the service.' },
    demo_failed: { status: 502, message: "The demo didn't start." },
    assistant_failed: { status: 502, message: "The assistant didn't reply." },
    stopping: { status: 503, message: 'The server is stopping.' },
    console_missing: { status: 503, message: "The web console isn't built. Run `npm start`." },
  }

/** Error codes of the HTTP layer. */
export type GatewayErrorCode =
  | 'bad_request'
  | 'malformed_json'
  | 'unauthorized'
  | 'scope_missing'
  | 'second_factor_required'
  | 'reauthentication_required'
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
  | 'too_many_requests'
  | 'too_many_streams'
  | 'internal_error'
  | 'assistant_failed'
  | 'demo_failed'
  | 'stopping'
  | 'console_missing'

/** Additional members of an error, for programs. */
export interface ErrorDetails {
  /** Name of the affected field. */
  readonly field?: string
  /** Error code of the component that failed. */
  readonly reason?: string
  /** With `reauthentication_required`: flows of the accounts' JSON API in which the user can confirm who they are. */
  readonly flows?: readonly object[]
}

/** An error of the HTTP API. `message`, `headers` and `details` reach the client: never a token or a request value. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  readonly code: GatewayErrorCode
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Members of the response besides `error` and `code`. */
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

/** Thrown if the service can't start. `message` tells the operator what to change. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
