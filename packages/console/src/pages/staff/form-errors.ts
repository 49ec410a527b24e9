import { type RefObject, useEffect, useRef } from 'react'
import type { ApiError } from '../../api/api-error.ts'
import { focusFirstInvalid } from '../../parts/first-wrong.ts'

/** Error messages by field name. */
export type FieldErrors = Readonly<Record<string, string>>

/** Returns a form ref that focuses the first invalid field whenever errors change. */
export function useFocusOnError(errors: FieldErrors): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (Object.keys(errors).length > 0) focusFirstInvalid(form.current)
  }, [errors])
  return form
}

/** Returns the errors of the fields that a rejection names. @param names API names of the form's fields. */
export function findRejectedFields(error: ApiError, names: readonly string[], sentence: string): FieldErrors {
  const named = names.filter((name) => error.field === name || new RegExp(`(^|\\s)${name}[:.]`).test(error.message))
  return Object.fromEntries(named.map((name) => [name, sentence]))
}
