import { type InputError, InvalidInput } from '../../errors.ts'

/** A new credential is checked together with its name: what is wrong with it is said of the whole input. */
export async function asFormErrors<R>(work: () => Promise<R>): Promise<R> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new InvalidInput(error.errors.map(withoutParam))
  }
}

const withoutParam = ({ code, message, values }: InputError): InputError => ({
  code,
  message,
  ...(values === undefined ? {} : { values }),
})
