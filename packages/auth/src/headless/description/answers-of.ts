import type { ApiClient, ApiMethod, ApiResource, Operation } from '../../kernel/operations/operation.ts'
import { OPERATION_NAMES, type OperationName } from './operation-names.ts'
import type { ShapeName } from '../../kernel/operations/shape-name.ts'

const NAMES: ReadonlyMap<string, OperationName> = new Map(
  Object.entries(OPERATION_NAMES).map(([name, at]) => [at, name as OperationName]), // a key of the table
)

/** Name of an operation; `null`: it is a host's own. */
export const nameOf = (method: string, path: string): OperationName | null => NAMES.get(`${method} ${path}`) ?? null

/** The clients that have a resource, of those that are served. */
export const clientsOf = ({ clients }: ApiResource, served: readonly ApiClient[]): readonly ApiClient[] =>
  served.filter((client) => clients?.includes(client) !== false)

/**
 * What an operation may answer: what it says itself, and what follows from the frame.
 * @param options.clients Those that have the resource.
 * @param options.hasInput Whether what it is given may be refused.
 */
export function answersOf(
  resource: ApiResource,
  method: ApiMethod,
  operation: Operation,
  { clients, hasInput }: { readonly clients: readonly ApiClient[]; readonly hasInput: boolean },
): Readonly<Partial<Record<number, ShapeName>>> {
  const isLimited = method !== 'GET' || resource.limit?.alsoGet === true
  const tellsFlows = resource.access === 'auth' || Object.values(operation.answers).includes('Authenticated')
  return {
    ...(hasInput && { 400: 'Errors' }),
    ...(tellsFlows && { 401: 'AuthenticationFlows' }),
    ...(isLimited && { 403: 'Status', 429: 'Status' }),
    ...(clients.includes('app') && { 410: 'AuthenticationFlows' }),
    ...operation.answers,
  }
}
