import type { AuthErrorCode } from '../../errors.ts'
import type { Declaration, FIELD_ERRORS, FieldKinds, InputField } from '../../kernel/operations/declaration.ts'
import type { ApiError, Shapes } from '../description/types.ts'
import type { OperationRows } from '../../operations.ts'

/** The kind of client. */
export type ClientName = 'browser' | 'app'

/** The name of an operation. Excludes operations that take a form, to which browsers navigate. */
export type OperationName = {
  [Name in keyof OperationRows]: OperationRows[Name] extends { readonly takesForm: true } ? never : Name
}[keyof OperationRows]

type Value<Field extends InputField> = Field extends { readonly values: readonly (infer V)[] }
  ? V
  : Field extends { readonly members: readonly (infer M extends string)[] }
    ? { readonly [Name in M]?: string }
    : FieldKinds[Field['kind']]
type FieldOf<Row> = Row extends { readonly input: readonly (infer Field extends InputField)[] } ? Field : never
type QueryOf<Row> = Row extends { readonly query: readonly (infer Name extends string)[] } ? Name : never
type OneOf<Row> = Row extends { readonly oneOf: readonly (infer Name extends string)[] } ? Name : never

type Required<Field extends InputField> = {
  readonly [F in Field as F['required'] extends true ? F['name'] : never]: Value<F>
}
type Optional<Field extends InputField, Without> = {
  readonly [F in Field as F['required'] extends true ? never : Exclude<F['name'], Without>]?: Value<F>
}
type Alternatives<Name extends string> = [Name] extends [never]
  ? unknown
  : { [N in Name]: { readonly [M in N]: string } }[Name]
/** Members that the host adds to the signup form. */
type OtherMembers<Row> = Row extends { readonly dynamicInput: 'form' }
  ? { readonly [member: string]: unknown }
  : unknown

type Input<Row> = Required<FieldOf<Row>> &
  Optional<FieldOf<Row>, OneOf<Row>> &
  Alternatives<OneOf<Row>> &
  OtherMembers<Row> & { readonly [Name in QueryOf<Row>]?: boolean }

/** The input of each operation that has one. */
export type OperationInputs = {
  readonly [Name in OperationName as OperationRows[Name] extends
    | { readonly input: unknown }
    | { readonly query: unknown }
    ? Name
    : never]: Input<OperationRows[Name]>
}

type At<Shape, Status> = Omit<Shape, 'status'> & { readonly status: Status }

type DeclaredErrorOf<Row> = Row extends { readonly errors: readonly (infer Code)[] } ? Code : never
type FieldErrorOf<Field> = Field extends InputField
  ?
      | 'required'
      | (typeof FIELD_ERRORS)[Field['kind']][number]
      | (Field extends { readonly errors: readonly (infer Code)[] } ? Code : never)
  : never
type InputErrorOf<Row> = FieldErrorOf<FieldOf<Row>> | Exclude<DeclaredErrorOf<Row>, AuthErrorCode>

/** The codes of the errors that an operation can return. Hooks of the host may add others. */
export type ErrorCode<Name extends OperationName> = InputErrorOf<OperationRows[Name]> | ConflictOf<OperationRows[Name]>
type ConflictOf<Row> = Row extends { readonly conflicts: readonly (infer Code)[] } ? Code : never

type WithCodes<Shape extends { readonly errors?: unknown }, Code> = Omit<Shape, 'errors'> & {
  readonly [M in keyof Pick<Shape, 'errors'>]: readonly (Omit<ApiError, 'code'> & { readonly code: Code })[]
}

type ShapeAt<Row, Status, Shape> = Shape extends 'Refused'
  ? At<WithCodes<Shapes['Refused'], InputErrorOf<Row>>, Status>
  : Shape extends keyof Shapes
    ? At<Shapes[Shape], Status>
    : never
type DeclaredAnswer<Row extends Declaration> = {
  [Status in keyof Row['answers']]: ShapeAt<Row, Status, Row['answers'][Status]>
}[keyof Row['answers']]

type UserAnswer<Row> = Row extends { readonly access: 'auth' } ? At<Shapes['AuthenticationFlows'], 401> : never
type InvalidInputAnswer<Row extends Declaration> = [InputErrorOf<Row>] extends [never]
  ? never
  : Row['answers'] extends { readonly 400: unknown }
    ? never
    : At<WithCodes<Shapes['Errors'], InputErrorOf<Row>>, 400>
type ConflictAnswer<Row> = [ConflictOf<Row>] extends [never]
  ? At<Shapes['Status'], 409>
  : At<WithCodes<Shapes['Conflict'], ConflictOf<Row>>, 409>
type NotFoundAnswer<Row> = 'not_found' extends DeclaredErrorOf<Row> ? At<Shapes['Status'], 404> : never

/** Too many requests: `retryAfterSeconds` is the delay before a retry, or `null` if unknown. */
export type TooManyRequests = At<Shapes['Status'], 429> & { readonly retryAfterSeconds: number | null }

/** The session has ended, and the client has deleted its token. */
export type Gone = At<Shapes['AuthenticationFlows'], 410>

/** The response of an operation, discriminated by `status`. */
export type Answer<Name extends OperationName, Client extends ClientName = ClientName> =
  | DeclaredAnswer<OperationRows[Name]>
  | UserAnswer<OperationRows[Name]>
  | InvalidInputAnswer<OperationRows[Name]>
  | At<Shapes['Status'], 403>
  | NotFoundAnswer<OperationRows[Name]>
  | ConflictAnswer<OperationRows[Name]>
  | TooManyRequests
  | (Client extends 'app' ? Gone : never)

type Given<Name extends OperationName> = Name extends keyof OperationInputs
  ? Record<never, never> extends OperationInputs[Name]
    ? readonly [input?: OperationInputs[Name]]
    : readonly [input: OperationInputs[Name]]
  : readonly []

type IsFor<Row, Client> = Row extends { readonly clients: readonly (infer Has)[] }
  ? Client extends Has
    ? true
    : false
  : true

/** The operations as methods. @throws {ClientError} if there's no response from the API */
export type Operations<Client extends ClientName> = {
  readonly [Name in OperationName as IsFor<OperationRows[Name], Client> extends true ? Name : never]: (
    ...given: Given<Name>
  ) => Promise<Answer<Name, Client>>
}
