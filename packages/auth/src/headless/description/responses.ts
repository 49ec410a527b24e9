import { AUTH_ERRORS } from '../../errors.ts'
import { ERROR_MESSAGES } from '../../kernel/forms/error-messages.ts'
import type { ApiClient, InputField, OperationRow, ShapeName } from '../../kernel/operations/declaration.ts'
import { COMMON_ERRORS, listInputCodes, listStatusErrors } from '../../kernel/operations/errors.ts'
import type { ApiResource } from '../../kernel/operations/operation.ts'
import type { Headless } from '../headless.ts'

/** A response of an operation. */
export interface OperationResponse {
  readonly shape: ShapeName
  /** Codes that its `errors` can have. */
  readonly codes: readonly string[]
  /** Whether the operation declares it; otherwise any operation of its kind can return it. */
  readonly isOwn: boolean
}

/** Responses by status. */
export type OperationResponses = Readonly<Partial<Record<number, OperationResponse>>>

/** Returns the clients that have a resource, of those that are enabled. */
export const selectClients = ({ clients }: ApiResource, served: readonly ApiClient[]): readonly ApiClient[] =>
  served.filter((client) => clients?.includes(client) !== false)

/**
 * Returns the responses of an operation by status: those that its row declares, and those of every operation. Codes that
 * the host adds to `errorMessages` can come from every operation that returns `errors`.
 * @param options.fields The fields that the operation reads.
 * @param options.clients The clients that have the resource.
 */
export function listResponses(
  { account }: Pick<Headless, 'account'>,
  resource: ApiResource,
  row: OperationRow,
  { fields, clients }: { readonly fields: readonly InputField[]; readonly clients: readonly ApiClient[] },
): OperationResponses {
  const hostCodes = Object.keys(account.adapter.errorMessages).filter((code) => !Object.hasOwn(ERROR_MESSAGES, code))
  const inputCodes = listInputCodes(row, fields)
  const { conflicts = [], answers } = row
  const hasInputErrors = inputCodes.length > 0
  const statusOnly = (isOwn: boolean): OperationResponse => ({ shape: 'Status', codes: [], isOwn })
  const responses: Partial<Record<number, OperationResponse>> = {}
  for (const status of listCommonStatuses(resource, row)) responses[status] = statusOnly(false)
  if (clients.includes('app')) responses[410] = { shape: 'AuthenticationFlows', codes: [], isOwn: false }
  if (row.access === 'auth') responses[401] = { shape: 'AuthenticationFlows', codes: [], isOwn: true }
  for (const code of listStatusErrors(row)) responses[AUTH_ERRORS[code].status] = statusOnly(true)
  if (conflicts.length > 0) responses[409] = { shape: 'Conflict', codes: [...conflicts, ...hostCodes], isOwn: true }
  if (hasInputErrors) responses[400] = { shape: 'Errors', codes: [], isOwn: true }
  for (const [status, shape = 'Status'] of Object.entries(answers)) {
    responses[Number(status)] = { shape, codes: [], isOwn: true }
  }
  const refused = responses[400]
  if (refused !== undefined && hasInputErrors) responses[400] = { ...refused, codes: [...inputCodes, ...hostCodes] }
  return responses
}

function listCommonStatuses(resource: ApiResource, { method }: OperationRow): readonly number[] {
  const isWriting = method !== 'GET'
  const isLimited = isWriting || resource.limit?.alsoGet === true
  return [
    ...COMMON_ERRORS.always,
    ...(isWriting ? COMMON_ERRORS.writing : []),
    ...(isLimited ? COMMON_ERRORS.limited : []),
  ].map((code) => AUTH_ERRORS[code].status)
}
