/** Failures of the package itself; the table in `docs/` is generated from this object. */
export const AUTH_ERRORS = {
  settings_invalid: { status: 500, message: 'The settings are invalid.' },
  not_implemented_hook: { status: 500, message: 'These settings require a hook that isn’t implemented.' },
  database_foreign: { status: 500, message: 'This database’s tables don’t have the format of account tables.' },
  host_unknown: { status: 400, message: 'This server is not known by this host name.' },
  form_malformed: { status: 400, message: 'The form cannot be read.' },
  form_too_large: { status: 413, message: 'The form is too large.' },
  csrf_failed: { status: 403, message: 'The form is out of date. Go back, reload the page and send it again.' },
  address_unknown: { status: 403, message: 'The address that the request comes from is not known.' },
  rate_limited: { status: 429, message: 'Too many requests. Try again later.' },
  session_conflict: { status: 409, message: 'Something else happened in this session at the same time. Try again.' },
  flow_wrong_stage: { status: 409, message: 'This step does not belong to the current stage.' },
  permission_denied: { status: 403, message: 'This is not allowed here.' },
  login_required: { status: 401, message: 'Sign in first.' },
  reauthentication_required: { status: 401, message: 'Confirm that it is you.' },
  verified_email_required: { status: 403, message: 'Verify your e-mail address first.' },
  not_found: { status: 404, message: 'There is nothing at this address.' },
  method_not_allowed: { status: 405, message: 'This address does not take this method.' },
  overloaded: { status: 503, message: 'Too much to do at the moment. Try again in a few seconds.' },
  secret_unreadable: { status: 500, message: 'A stored secret can’t be decrypted with the configured keys.' },
} as const satisfies Record<string, { status: number; message: string }>
export type AuthErrorCode = keyof typeof AUTH_ERRORS

/** `message`, `details` and `headers` reach the client: never a token, a code or an address. */
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
 * One thing wrong with what a person gave. `message` is English and a key of the catalogues; `values` fill its
 * placeholders. Without `param` it belongs to the whole form.
 */
export interface InputError {
  readonly code: string
  readonly message: string
  readonly param?: string
  readonly values?: Readonly<Record<string, string | number>>
}

/** What a person gave cannot be taken: expected, and shown beside the fields. Stable codes. */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput'
  readonly errors: readonly InputError[]
  constructor(errors: readonly InputError[]) {
    super(errors.map(({ code }) => code).join(', '))
    this.errors = errors
  }
}

/** Thrown by a hook: the request is answered with `response` at once, whatever was going on. */
export class ImmediateResponse extends Error {
  override readonly name = 'ImmediateResponse'
  readonly response: Response
  constructor(response: Response) {
    super('A hook answered the request itself.')
    this.response = response
  }
}
