import { InvalidInput } from '../../errors.ts'

/** Runs `work`; what it refuses without naming a field is an error of the field `param`. */
export async function withFieldErrors<T>(param: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new InvalidInput(error.errors.map((one) => (one.param === undefined ? { ...one, param } : one)))
  }
}
