import type { OPERATION_ANSWERS } from '../description/operation-answers.ts'
import type { OperationName } from '../description/operation-names.ts'
import type { Shapes } from '../description/types.ts'
import type { OperationInputs } from './inputs.ts'

/** Which kind of client asks. */
export type ClientName = 'browser' | 'app'

type Declared = typeof OPERATION_ANSWERS
type At<Shape, Status> = Omit<Shape, 'status'> & { readonly status: Status }
type DeclaredAnswer<Name extends OperationName> = {
  [Status in keyof Declared[Name]]: Declared[Name][Status] extends keyof Shapes
    ? At<Shapes[Declared[Name][Status]], Status>
    : never
}[keyof Declared[Name]]

/** Too many requests: `retryAfterSeconds` says when it may be tried again; `null`: that cannot be seen. */
export type TooManyRequests = At<Shapes['Status'], 429> & { readonly retryAfterSeconds: number | null }

/** The session is over: its token has been forgotten. */
export type Gone = At<Shapes['AuthenticationFlows'], 410>

/** What an operation answers, to be told apart by `status`. */
export type Answer<Name extends OperationName, Client extends ClientName = ClientName> =
  | DeclaredAnswer<Name>
  | TooManyRequests
  | At<Shapes['Status'], 403>
  | (Client extends 'app' ? Gone : never)

type Given<Name extends OperationName> = Name extends keyof OperationInputs
  ? readonly [input: OperationInputs[Name]]
  : readonly []

/** Every operation as a method. @throws {ClientError} when no answer of the API comes */
export type Operations<Client extends ClientName> = {
  readonly [Name in Exclude<OperationName, Client extends 'app' ? 'trustBrowser' : 'refreshTokens'>]: (
    ...given: Given<Name>
  ) => Promise<Answer<Name, Client>>
}
