import { AUTH_ERRORS, type AuthErrorCode } from '../../errors.ts'
import type { InputErrorCode } from '../forms/error-messages.ts'
import { FIELD_ERRORS, type FieldKinds, type InputField, type OperationRow } from './declaration.ts'

/** Errors that don't depend on the operation. Responses have their status, and no code. */
export const COMMON_ERRORS = {
  /** Of every operation. */
  always: ['session_conflict'],
  /** Of operations with a method other than GET, because they have a CSRF check and a body. */
  writing: ['csrf_failed', 'form_too_large'],
  /** Of operations that can have a rate limit: all but most with GET. */
  limited: ['address_unknown', 'rate_limited'],
} as const satisfies Readonly<Record<string, readonly AuthErrorCode[]>>

/** The code for a body that isn't a JSON object. Its error has no field. */
export const MALFORMED_BODY = 'invalid' as const satisfies InputErrorCode

/** A code for input that a field can't be read from. */
export type FieldErrorCode = 'required' | (typeof FIELD_ERRORS)[keyof FieldKinds][number]

const isAuthError = (code: AuthErrorCode | InputErrorCode): code is AuthErrorCode => Object.hasOwn(AUTH_ERRORS, code)

/** Returns the errors that a row declares and whose responses have only their status. */
export const listStatusErrors = ({ errors = [] }: OperationRow): readonly AuthErrorCode[] => errors.filter(isAuthError)

/** Returns the codes that a row declares, and that `errors` of a 400 can have besides those of every field. */
export const listOwnCodes = ({ input = [], errors = [] }: OperationRow): readonly InputErrorCode[] => [
  ...new Set([
    ...input.flatMap((field) => field.errors ?? []),
    ...errors.filter((code): code is Exclude<typeof code, AuthErrorCode> => !isAuthError(code)),
  ]),
]

/**
 * Returns all codes that `errors` of a 400 can have.
 * @param fields The fields that the operation reads.
 */
export function listInputCodes(row: OperationRow, fields: readonly InputField[]): readonly InputErrorCode[] {
  const readsBody = row.method !== 'GET' && row.ignoresBody !== true
  return [
    ...new Set([
      ...(readsBody ? [MALFORMED_BODY] : []),
      ...fields.flatMap(({ kind, required }) => [...(required ? (['required'] as const) : []), ...FIELD_ERRORS[kind]]),
      ...listOwnCodes(row),
    ]),
  ]
}
