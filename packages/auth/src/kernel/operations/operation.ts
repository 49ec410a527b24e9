import { ImmediateResponse, type InputError, InvalidInput } from '../../errors.ts'
import type { LoginOutcome } from '../login.ts'
import type { RepeatableHandler, Visit } from '../visit.ts'
import type { ApiMethod, InputField, InputOf, OperationRow } from './declaration.ts'

/** What an operation answers; the frame makes the envelope of it (4.2.2 of the reference). */
export type ApiAnswer =
  /** `{status, data?, meta?}` */
  | { readonly kind: 'data'; readonly status?: number; readonly data?: unknown; readonly meta?: object }
  /**
   * Where the visitor's authentication stands (4.2.3): 200 with user and methods, or 401 with flows. With
   * `reauthentication` 401 although somebody is signed in; with `anonymous` as nobody's, whoever is signed in.
   */
  | { readonly kind: 'authentication'; readonly as?: 'reauthentication' | 'anonymous' }
  /** `{status, errors}` */
  | { readonly kind: 'errors'; readonly status: 400 | 409; readonly errors: readonly InputError[] }

/** A way on that the JSON API offers, or a step that a login waits for (4.2.3 of the reference). */
export interface ApiFlow {
  readonly id: string
  readonly is_pending?: boolean
  readonly types?: readonly string[]
  readonly providers?: readonly string[]
  readonly provider?: object
}

/** An operation with its handler. Made by `implement`. */
export interface Operation {
  readonly row: OperationRow
  /** Returns the fields of its input under these settings, for this visitor. */
  fields(visit: Visit): readonly InputField[]
  /** Called before a 400 is returned for input that its fields refuse: where that counts as a wrong attempt. */
  invalid?(visit: Visit, errors: readonly InputError[]): Promise<void>
  readonly handle: RepeatableHandler<[input: unknown], ApiAnswer>
}

/** Rules that hold for every method of a path. */
interface ResourceRules {
  /** Taken by every method but GET before the input is read. */
  readonly limit?: { readonly action: string; readonly per: 'ip' | 'user'; readonly alsoGet?: true }
  /**
   * Returns a response that the current state demands before the input is read, e.g. because no such stage is pending;
   * `null` to go on.
   * @param method Of the request, which the resource may not have.
   */
  readonly before?: RepeatableHandler<[method: string], ApiAnswer | null>
}

/** A path of the JSON API and its operations. Made by `createResource`. */
export interface ApiResource
  extends ResourceRules,
    Pick<OperationRow, 'path' | 'tag' | 'clients' | 'access' | 'takesForm'> {
  readonly operations: Readonly<Partial<Record<ApiMethod, Operation>>>
}

interface Options {
  invalid?: Operation['invalid']
}
interface DynamicOptions extends Options {
  fields: Operation['fields']
}

type FieldsOf<Row extends OperationRow> = Row extends { readonly input: infer Fields extends readonly InputField[] }
  ? Fields
  : readonly []
/** What the handler of an operation gets, by the fields of its row. */
type HandlerInput<Row extends OperationRow> = Row extends { readonly dynamicInput: 'form' }
  ? Readonly<Record<string, unknown>>
  : Row extends { readonly dynamicInput: 'settings' }
    ? Partial<InputOf<FieldsOf<Row>>>
    : InputOf<FieldsOf<Row>>

/**
 * Attaches a handler to a row of a table.
 * @param handle Gets the input as the row's fields say.
 * @param options.fields Returns the fields; for rows with `dynamicInput` only, where it is required.
 */
export function implement<const Row extends OperationRow>(
  row: Row,
  handle: RepeatableHandler<[input: HandlerInput<Row>], ApiAnswer>,
  ...[options]: Row extends { readonly dynamicInput: string } ? [options: DynamicOptions] : [options?: Options]
): Operation {
  const { fields = () => row.input ?? [], invalid }: Partial<DynamicOptions> = options ?? {}
  return {
    row,
    fields,
    ...(invalid !== undefined && { invalid }),
    handle: (visit, input) => handle(visit, input as HandlerInput<Row>), // read by these fields
  }
}

const SHARED = ['path', 'tag', 'clients', 'access', 'takesForm'] as const

/**
 * Creates the resource of operations that have the same path.
 * @throws {TypeError} unless their rows agree on everything but the method and what it takes and returns
 */
export function createResource(operations: readonly Operation[], rules: ResourceRules = {}): ApiResource {
  const [first] = operations
  if (first === undefined) throw new TypeError('A resource needs an operation')
  const { path, tag, clients, access, takesForm } = first.row
  for (const { row } of operations) {
    const different = SHARED.find((member) => JSON.stringify(row[member]) !== JSON.stringify(first.row[member]))
    if (different !== undefined) throw new TypeError(`${row.name} and ${first.row.name} differ in ${different}`)
  }
  return {
    path,
    tag,
    access,
    ...(clients !== undefined && { clients }),
    ...(takesForm !== undefined && { takesForm }),
    ...rules,
    operations: Object.fromEntries(operations.map((operation) => [operation.row.method, operation])),
  }
}

/** Converts a login outcome to a response. @throws {ImmediateResponse} returned by a hook */
export function loginAnswer(outcome: LoginOutcome): ApiAnswer {
  if (outcome.kind === 'response') throw new ImmediateResponse(outcome.response)
  return { kind: 'authentication' }
}

/**
 * Runs `work` of a flow whose fields have other names in JSON.
 * @param names JSON names by flow name.
 */
export async function withFieldNames<T>(names: Readonly<Record<string, string>>, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new InvalidInput(error.errors.map((one) => renameErrorField(one, names)))
  }
}

function renameErrorField(error: InputError, names: Readonly<Record<string, string>>): InputError {
  const param = error.param === undefined ? undefined : names[error.param]
  return param === undefined ? error : { ...error, param }
}

/**
 * Counts unreadable input in the field `param` as a wrong code.
 * @param attempt Checks a code that is never right.
 */
export function countInvalidAttempt(
  param: string,
  attempt: (visit: Visit) => Promise<unknown>,
): NonNullable<Operation['invalid']> {
  return async (call, errors) => {
    if (!errors.some((error) => error.param === param)) return
    try {
      await attempt(call)
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error // the code counts as wrong
    }
  }
}
