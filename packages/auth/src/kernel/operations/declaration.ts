import type { AuthErrorCode } from '../../errors.ts'
import type { InputErrorCode } from '../forms/error-messages.ts'

/** The HTTP method of an operation. */
export type ApiMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** The type of client: a browser with cookies, or an app with tokens. */
export type ApiClient = 'browser' | 'app'

/** Names of the response schemas of the JSON API: `components.schemas` in its OpenAPI document. */
export type ShapeName =
  | 'Config'
  | 'Authenticated'
  | 'AuthenticationFlows'
  | 'Status'
  | 'Errors'
  | 'Conflict'
  | 'Refused'
  | 'EmailVerificationInfo'
  | 'PasswordResetInfo'
  | 'EmailAddresses'
  | 'PhoneNumbers'
  | 'Sessions'
  | 'Authenticators'
  | 'TotpAuthenticator'
  | 'TotpAdded'
  | 'TotpOffer'
  | 'RecoveryCodes'
  | 'WebauthnAuthenticator'
  | 'WebauthnAdded'
  | 'CreationOptions'
  | 'RequestOptions'
  | 'ProviderAccounts'
  | 'ProviderSignup'
  | 'AccessTokens'

/** The type of each kind of field. */
export interface FieldKinds {
  /** Trimmed; `required` means not empty. */
  text: string
  /** Trimmed, and must be an email address. */
  email: string
  /** As typed, but `required` means not blank. */
  password: string
  boolean: boolean
  id: number
  ids: readonly number[]
  /** Also a text with the object's JSON. Anything else counts as an empty object. */
  object: Readonly<Record<string, unknown>>
  /** Any value, or none. The handler checks it, even if it's required. */
  json: unknown
}

const TEXT_ERRORS = ['invalid', 'null_characters_not_allowed', 'max_length'] as const

/** Codes of the errors found while a field of each kind is read. An empty required field is `required`. */
export const FIELD_ERRORS = {
  text: TEXT_ERRORS,
  email: TEXT_ERRORS,
  password: TEXT_ERRORS,
  boolean: [],
  id: ['invalid_choice'],
  ids: ['invalid_list', 'invalid_pk_value'],
  object: ['invalid'],
  json: [],
} as const satisfies Readonly<Record<keyof FieldKinds, readonly InputErrorCode[]>>

/** A member of a JSON body, or a header. */
export interface InputField {
  readonly name: string
  readonly kind: keyof FieldKinds
  readonly required: boolean
  /** In characters (code points). Default: 1,000, or 4,096 for passwords. */
  readonly maxLength?: number
  /** The name of the header that has the value, instead of the body. */
  readonly header?: string
  /** Its description in the OpenAPI document. */
  readonly about?: string
  /** The values that clients may send. The handler checks them. */
  readonly values?: readonly (string | boolean)[]
  /** Members of an `object` or `json`, all optional texts. The handler checks them. */
  readonly members?: readonly string[]
  /** Codes of the errors that the handler finds in it, besides `FIELD_ERRORS`. */
  readonly errors?: readonly InputErrorCode[]
}

/** The maximum number of IDs in a field. */
export const MAX_IDS = 1_000

/** Returns the maximum length of a field in characters (code points). */
export const getMaxLength = ({ kind, maxLength }: InputField): number =>
  maxLength ?? (kind === 'password' ? 4_096 : 1_000)

/** The values of these fields. Without a value, optional texts are `''`, and other optional fields are `undefined`. */
export type InputOf<Fields extends readonly InputField[]> = {
  readonly [F in Fields[number] as F['name']]:
    | FieldKinds[F['kind']]
    | (F['required'] extends true ? never : F['kind'] extends 'text' | 'email' | 'password' ? '' : undefined)
}

/**
 * An operation of the JSON API as plain data. Routing, validation, the OpenAPI document, the manual, and the typed client
 * are all derived from it; `implement` (operation.ts) attaches its handler.
 */
export interface Declaration {
  readonly method: ApiMethod
  /** Relative to `{client}/v1/`, e.g. `auth/2fa/authenticate`. Operations with the same path form a resource. */
  readonly path: string
  /** The clients that have it. Default: both. */
  readonly clients?: readonly ApiClient[]
  /** With `auth`, anonymous visitors get a 401 before limits and input are checked. */
  readonly access: 'anon' | 'auth'
  readonly tag: string
  readonly summary: string
  readonly input?: readonly InputField[]
  /**
   * `settings`: the settings or the visitor determine which fields of `input` exist and which are required. `form`: the
   * fields are those of the sign-up form, including the host's own. `implement` gets a function that returns them.
   */
  readonly dynamicInput?: 'settings' | 'form'
  /** Fields of which a client sends exactly one. The handler checks that. */
  readonly oneOf?: readonly string[]
  /** Names of query parameters that apply if present, whatever their value. */
  readonly query?: readonly string[]
  /** The body is ignored, even a malformed one. */
  readonly ignoresBody?: true
  /** The body is a form (`visit.form`) with the CSRF token, because a browser navigates here. */
  readonly takesForm?: true
  /** A valid sample input. */
  readonly example?: Readonly<Record<string, unknown>>
  /** Schemas of the responses by status, besides those of errors and, with `access: 'auth'`, 401. */
  readonly answers: Readonly<Partial<Record<number, ShapeName>>>
  /**
   * Codes of the errors that it can return, besides those of its fields and of every operation (`COMMON_ERRORS`). An
   * `AuthErrorCode` sets the status, and isn't in the response; all others are in the `errors` of a 400.
   */
  readonly errors?: readonly (AuthErrorCode | InputErrorCode)[]
  /** Codes in the `errors` of a 409. */
  readonly conflicts?: readonly InputErrorCode[]
}

/** A declaration with its name: the `operationId` in the OpenAPI document and the client's method. */
export interface OperationRow extends Declaration {
  readonly name: string
}

/** Returns a module's operations with their names. Keeps literal types, because the client's types follow from them. */
export const defineOperations = <const Table extends Readonly<Record<string, Declaration>>>(
  table: Table,
): { readonly [Name in keyof Table & string]: Table[Name] & { readonly name: Name } } =>
  // `fromEntries` loses the names.
  Object.fromEntries(Object.entries(table).map(([name, row]) => [name, { name, ...row }])) as {
    readonly [Name in keyof Table & string]: Table[Name] & { readonly name: Name }
  }

/** Not signed in, another step is pending, or the user must confirm their identity. */
export const FLOWS = { 401: 'AuthenticationFlows' } as const
/** Signed in, or the flows that lead there. */
export const SIGNED_IN = { 200: 'Authenticated', ...FLOWS } as const
