import type { ClientName, OperationName, Operations } from './operations.ts'
import { type Route, ROUTES } from './routes.ts'
import type { AnyAnswer } from './transport.ts'

/** Returns every operation that a kind of client has as a method, all of which `call` does. */
export function methods<Client extends ClientName>(
  client: Client,
  call: (name: OperationName, input?: Readonly<Record<string, unknown>>) => Promise<AnyAnswer>,
): Operations<Client> {
  const names = Object.entries<Route>(ROUTES).flatMap(
    ([name, route]) => (route.client === undefined || route.client === client ? [name as OperationName] : []), // the table has these names
  )
  const all: unknown = Object.fromEntries(
    names.map((name) => [name, (input?: Readonly<Record<string, unknown>>) => call(name, input)]),
  )
  return all as Operations<Client> // what answers is described by these types
}
