import { OPERATION_NAMES, type OperationName } from '../description/operation-names.ts'
import type { ClientName, Operations } from './operations.ts'
import type { AnyAnswer } from './transport.ts'

/** Every operation as a method, all of which `call` does. @param missing The one that this client has not. */
export function methods<Client extends ClientName>(
  call: (name: OperationName, input?: Readonly<Record<string, unknown>>) => Promise<AnyAnswer>,
  missing: OperationName,
): Operations<Client> {
  const names = Object.keys(OPERATION_NAMES) as OperationName[] // its own keys
  const made = names
    .filter((name) => name !== missing)
    .map((name) => [name, (input?: Readonly<Record<string, unknown>>) => call(name, input)])
  const all: unknown = Object.fromEntries(made)
  return all as Operations<Client> // what answers is described by these types
}
