/** The errors of this package. The table in `docs/` is generated from this object. */
export const AUTH_ERRORS = {
  settings_invalid: { status: 500, message: 'The settings are invalid.' },
  not_implemented_hook: { status: 500, message: "These settings require a hook that isn't implemented." },
  database_foreign: { status: 500, message: "This database's tables don't have the format of account tables." },
  host_unknown: { status: 400, message: "This host name isn't allowed on this server." },
  form_malformed: { status: 400, message: "The form data couldn't be read." },
  form_too_large: { status: 413, message: 'The form data is too large.' },
  csrf_failed: { status: 403, message: 'This form has expired. Go back, reload the page, and submit it again.' },
  address_unknown: { status: 403, message: "The client's IP address couldn't be determined." },
  rate_limited: { status: 429, message: 'Too many requests. Try again later.' },
  session_conflict: { status: 409, message: 'Another request changed this session at the same time. Try again.' },
  flow_wrong_stage: { status: 409, message: "This step isn't available right now." },
  permission_denied: { status: 403, message: "You don't have permission to do this." },
  login_required: { status: 401, message: 'Sign in to continue.' },
  reauthentication_required: { status: 401, message: "Verify it's you to continue." },
  verified_email_required: { status: 403, message: 'Verify your email address to continue.' },
  not_found: { status: 404, message: "The requested page doesn't exist." },
  account_referenced: { status: 409, message: "Other tables refer to this account, so it can't be removed." },
  module_off: { status: 500, message: 'This module is turned off in the settings.' },
  method_not_allowed: { status: 405, message: "This URL doesn't support this method." },
  overloaded: { status: 503, message: 'The server is busy. Try again in a few seconds.' },
  secret_unreadable: { status: 500, message: "A stored secret can't be decrypted with the configured keys." },
} as const satisfies Record<string, { status: number; message: string }>
/** The code of an `AuthError`. */
export type AuthErrorCode = keyof typeof AUTH_ERRORS

/**
 * An error of this package. `message`, `details`, and `headers` may reach the client, so they must not contain a token,
 * a code, or an address.
 */
export class AuthError extends Error {
  override readonly name = 'AuthError'
  readonly code: AuthErrorCode
  readonly status: number
  readonly details: Readonly<Record<string, string | number>>
  readonly headers: Readonly<Record<string, string>>
  constructor(
    code: AuthErrorCode,
    options: {
      readonly message?: string
      readonly details?: Readonly<Record<string, string | number>>
      readonly headers?: Readonly<Record<string, string>>
      readonly cause?: unknown
    } = {},
  ) {
    super(options.message ?? AUTH_ERRORS[code].message, 'cause' in options ? { cause: options.cause } : {})
    this.code = code
    this.status = AUTH_ERRORS[code].status
    this.details = options.details ?? {}
    this.headers = options.headers ?? {}
  }
}

/**
 * A validation error. `message` is in English and a key of the translation catalogs; `values` fill its placeholders.
 * Without `param` it belongs to the whole form.
 */
export interface InputError {
  readonly code: string
  readonly message: string
  readonly param?: string
  readonly values?: Readonly<Record<string, string | number>>
}

/** Invalid input. It's an expected error, which is shown next to the fields, and its codes are stable. */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput'
  readonly errors: readonly InputError[]
  constructor(errors: readonly InputError[]) {
    super(errors.map(({ code }) => code).join(', '))
    this.errors = errors
  }
}

/** Thrown by a hook to stop handling the request and send `response` immediately. */
export class ImmediateResponse extends Error {
  override readonly name = 'ImmediateResponse'
  readonly response: Response
  constructor(response: Response) {
    super('A hook sent its own response.')
    this.response = response
  }
}
