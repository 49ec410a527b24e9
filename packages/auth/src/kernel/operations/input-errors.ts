import type { Visit } from '../visit.ts'
import { type InputError, InvalidInput } from '../../errors.ts'
import type { Operation } from './operation.ts'

/**
 * Runs `work` of a flow whose fields have other names in JSON.
 * @param names JSON names by flow name.
 */
export async function withFieldNames<T>(names: Readonly<Record<string, string>>, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new InvalidInput(error.errors.map((one) => renameErrorField(one, names)))
  }
}

function renameErrorField(error: InputError, names: Readonly<Record<string, string>>): InputError {
  const param = error.param === undefined ? undefined : names[error.param]
  return param === undefined ? error : { ...error, param }
}

/**
 * Counts unreadable input in the field `param` as a wrong code.
 * @param attempt Checks a code that is never right.
 */
export function countInvalidAttempt(
  param: string,
  attempt: (visit: Visit) => Promise<unknown>,
): NonNullable<Operation['invalid']> {
  return async (call, errors) => {
    if (!errors.some((error) => error.param === param)) return
    try {
      await attempt(call)
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error // the code counts as wrong
    }
  }
}
