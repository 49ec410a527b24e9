import { type RefObject, useEffect, useRef } from 'react'
import type { ApiError } from '../../api/api-error.ts'
import { focusFirstWrong } from '../../parts/first-wrong.ts'

/** By the name of a field: why it was not taken. */
export type FieldErrors = Readonly<Record<string, string>>

/** A form whose first refused field gets the focus, each time that some are refused. */
export function useFocusOnError(errors: FieldErrors): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (Object.keys(errors).length > 0) focusFirstWrong(form.current)
  }, [errors])
  return form
}

/** The fields that a refusal of the service names. @param names As the API calls the fields of the form. */
export function refusedFields(error: ApiError, names: readonly string[], sentence: string): FieldErrors {
  const named = names.filter((name) => error.field === name || new RegExp(`(^|\\s)${name}[:.]`).test(error.message))
  return Object.fromEntries(named.map((name) => [name, sentence]))
}
