import { type InputError, InvalidInput } from '../../errors.ts'
import type { InputField } from '../../kernel/operations/input.ts'

/** What a browser answered when it was asked to sign. */
export const ASSERTION = [
  {
    name: 'credential',
    kind: 'object',
    required: true,
    about: 'What `navigator.credentials.get()` answered, in its JSON form.',
  },
] as const satisfies readonly InputField[]

/** A new key. */
export const NEW_CREDENTIAL = [
  { name: 'name', kind: 'text', required: false, about: 'Unset: one is made up.' },
  {
    name: 'credential',
    kind: 'object',
    required: true,
    about: 'What `navigator.credentials.create()` answered, in its JSON form.',
  },
] as const satisfies readonly InputField[]

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
