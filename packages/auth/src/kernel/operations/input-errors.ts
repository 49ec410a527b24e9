import type { Visit } from '../visit.ts'
import { type InputError, InvalidInput } from '../../errors.ts'
import type { Operation } from './operation.ts'

/**
 * Runs `work` of a flow, whose fields may have other names in JSON.
 * @param names Of JSON, by those of the flow.
 */
export async function withNames<T>(names: Readonly<Record<string, string>>, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new InvalidInput(error.errors.map((one) => renamed(one, names)))
  }
}

function renamed(error: InputError, names: Readonly<Record<string, string>>): InputError {
  const param = error.param === undefined ? undefined : names[error.param]
  return param === undefined ? error : { ...error, param }
}

/**
 * Counts an input as a wrong code whose field `param` cannot be read, like any other that is not right.
 * @param attempt Tries a code that is never right.
 */
export function asWrongTry(
  param: string,
  attempt: (visit: Visit) => Promise<unknown>,
): NonNullable<Operation['invalid']> {
  return async (call, errors) => {
    if (!errors.some((error) => error.param === param)) return
    try {
      await attempt(call)
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error // it says what is known: the code is not right
    }
  }
}
