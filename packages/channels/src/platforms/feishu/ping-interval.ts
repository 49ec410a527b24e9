import { integer, object } from '../wire/json.ts'

const LONGEST_SECONDS = 600

/** The interval that a client configuration of the platform asks for, ms; `null` when it asks for none that makes sense. */
export function pingMsOf(configuration: unknown): number | null {
  const seconds = integer(object(configuration)?.['PingInterval'])
  return seconds !== undefined && seconds >= 1 && seconds <= LONGEST_SECONDS ? seconds * 1_000 : null
}
