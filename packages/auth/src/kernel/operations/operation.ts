import { ImmediateResponse, type InputError, InvalidInput } from '../../errors.ts'
import type { LoginOutcome } from '../login.ts'
import type { RepeatableHandler, Visit } from '../visit.ts'
import type { ApiMethod, InputField, InputOf, OperationRow } from './declaration.ts'

/** The result of an operation, which the API wraps in an envelope (4.2.2 of the reference). */
export type ApiAnswer =
  /** `{status, data?, meta?}` */
  | { readonly kind: 'data'; readonly status?: number; readonly data?: unknown; readonly meta?: object }
  /**
   * The state of the visitor's authentication (4.2.3): 200 with user and methods, or 401 with flows. With
   * `reauthentication`, 401 even for a signed-in user; with `anonymous`, as if nobody were signed in.
   */
  | { readonly kind: 'authentication'; readonly as?: 'reauthentication' | 'anonymous' }
  /** `{status, errors}` */
  | { readonly kind: 'errors'; readonly status: 400 | 409; readonly errors: readonly InputError[] }

/** A flow that the visitor can start, or the pending step of a login (4.2.3 of the reference). */
export interface ApiFlow {
  readonly id: string
  readonly is_pending?: boolean
  readonly types?: readonly string[]
  readonly providers?: readonly string[]
  readonly provider?: object
}

/** An operation with its handler. Created by `implement`. */
export interface Operation {
  readonly row: OperationRow
  /** Returns the fields of its input, which can depend on the settings and the visitor. */
  fields(visit: Visit): readonly InputField[]
  /**
   * Called when some fields can't be read, with the values of the others: counts a wrong attempt, or returns the errors
   * of these values, which the 400 lists too.
   */
  invalid?(
    visit: Visit,
    errors: readonly InputError[],
    values: Readonly<Record<string, unknown>>,
  ): Promise<readonly InputError[] | null>
  readonly handle: RepeatableHandler<[input: unknown], ApiAnswer>
}

/** Rules for every method of a path. */
interface ResourceRules {
  /** The limit that every method but GET takes before the input is read. */
  readonly limit?: { readonly action: string; readonly per: 'ip' | 'user'; readonly alsoGet?: true }
  /**
   * Runs before the input is read. Returns a response if the current state requires one, e.g. because no such stage is
   * pending, or `null` to continue.
   * @param method The request's method, which the resource may not have.
   */
  readonly before?: RepeatableHandler<[method: string], ApiAnswer | null>
}

/** A path of the JSON API and its operations. Created by `createResource`. */
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
/** The input of an operation's handler, by the fields of its row. */
type HandlerInput<Row extends OperationRow> = Row extends { readonly dynamicInput: 'form' }
  ? Readonly<Record<string, unknown>>
  : Row extends { readonly dynamicInput: 'settings' }
    ? Partial<InputOf<FieldsOf<Row>>>
    : InputOf<FieldsOf<Row>>

/**
 * Attaches a handler to a row of a table.
 * @param handle Gets input that its fields have validated.
 * @param options.fields Returns the fields. Required for rows with `dynamicInput`, and only for them.
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
 * Creates a resource from its operations.
 * @throws {TypeError} if there are none, or their rows differ in path, tag, clients, access, or `takesForm`
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

/** Converts a login outcome to a response. @throws {ImmediateResponse} with the response of a hook */
export function loginAnswer(outcome: LoginOutcome): ApiAnswer {
  if (outcome.kind === 'response') throw new ImmediateResponse(outcome.response)
  return { kind: 'authentication' }
}

/**
 * Runs `work`, and renames the fields of its errors.
 * @param names Names in JSON, by the names that `work` uses.
 */
export async function withFieldNames<T>(names: Readonly<Record<string, string>>, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new InvalidInput(error.errors.map((inputError) => renameErrorField(inputError, names)))
  }
}

function renameErrorField(error: InputError, names: Readonly<Record<string, string>>): InputError {
  const param = error.param === undefined ? undefined : names[error.param]
  return param === undefined ? error : { ...error, param }
}

/** Runs a check and returns its errors, or none. */
async function collectErrors(check: () => Promise<unknown>): Promise<readonly InputError[]> {
  try {
    await check()
    return []
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return error.errors
  }
}

/**
 * Returns a handler that also reports what's wrong with the fields that could be read.
 * @param check Checks the values of these fields.
 */
export function reportOtherErrors(
  check: (visit: Visit, values: Readonly<Record<string, unknown>>) => Promise<unknown>,
): NonNullable<Operation['invalid']> {
  return async (visit, errors, values) => {
    const unread = new Set(errors.map(({ param }) => param))
    return (await collectErrors(() => check(visit, values))).filter(({ param }) => !unread.has(param))
  }
}

/**
 * Returns a handler that counts an unreadable value of the field `param` as a wrong attempt.
 * @param attempt Checks a code that's never right.
 */
export function countInvalidAttempt(
  param: string,
  attempt: (visit: Visit) => Promise<unknown>,
): NonNullable<Operation['invalid']> {
  return async (visit, errors) => {
    if (errors.some((error) => error.param === param)) await collectErrors(() => attempt(visit))
    return null
  }
}
