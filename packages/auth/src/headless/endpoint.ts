import type { Core } from '../core.ts'
import type { InputError } from '../errors.ts'
import type { Visit } from '../kernel/visit.ts'
import type { InputField, InputOf } from './input.ts'
import type { ShapeName } from './description/shape-name.ts'

export type ApiMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type ApiClient = 'browser' | 'app'

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

/** What every operation and guard is given. */
export interface ApiCall {
  readonly core: Core
  /** `client` is `browser` or `app`. */
  readonly request: Visit
}

/** One method of a resource. Made by `operation`. */
export interface Operation {
  readonly summary: string
  readonly input: (call: ApiCall) => readonly InputField[]
  /** Names of query parameters that count by being there. */
  readonly query?: readonly string[]
  /** Shapes of what is answered besides what follows from the resource (401, 410, 429, 400 of an input). */
  readonly answers: Readonly<Partial<Record<number, ShapeName>>>
  /** The body is not looked at: a malformed one is no error. */
  readonly ignoresBody?: true
  /** Called before 400 is answered for an input that its fields refuse: where that counts as a wrong try. */
  invalid?(call: ApiCall, errors: readonly InputError[]): Promise<void>
  handle(call: ApiCall, input: unknown): Promise<ApiAnswer>
}

/** A path of the API and what may be done there. */
export interface ApiResource {
  /** Below `{client}/v1/`, e.g. `auth/2fa/authenticate`. */
  readonly path: string
  readonly tag: string
  /** Clients that have it; default both. */
  readonly clients?: readonly ApiClient[]
  /** `auth`: anonymous visitors get 401 before anything is looked at. */
  readonly access: 'anon' | 'auth'
  /** Taken by every method but GET before the input is looked at. */
  readonly limit?: { readonly action: string; readonly per: 'ip' | 'user'; readonly alsoGet?: true }
  /**
   * What the state says before the input is looked at, e.g. that no such stage is pending; `null`: go on.
   * @param method Of the request, which the resource may not have.
   */
  readonly before?: (call: ApiCall, method: string) => Promise<ApiAnswer | null>
  readonly operations: Readonly<Partial<Record<ApiMethod, Operation>>>
  /** Its body is a form (`request.form`) that brings the CSRF token: a browser goes there, no script asks. */
  readonly takesForm?: true
}

/** Resources of a module; those that the settings do not have are not in it. */
export type ApiModule = (core: Core) => readonly ApiResource[]

/** An operation whose handler gets what its fields say. */
export function operation<const Fields extends readonly InputField[] = readonly []>(options: {
  readonly summary: string
  readonly input?: Fields
  readonly query?: readonly string[]
  readonly answers: Operation['answers']
  readonly ignoresBody?: true
  invalid?(call: ApiCall, errors: readonly InputError[]): Promise<void>
  handle(call: ApiCall, input: InputOf<Fields>): Promise<ApiAnswer>
}): Operation {
  const { input: fields, handle, ...rest } = options
  return {
    ...rest,
    input: () => fields ?? [],
    handle: (call, input) => handle(call, input as InputOf<Fields>), // read by these fields
  }
}

/** An operation whose fields the settings and the host decide, such as a sign-up. */
export function operationOf(options: {
  readonly summary: string
  readonly input: (call: ApiCall) => readonly InputField[]
  readonly answers: Operation['answers']
  handle(call: ApiCall, input: Readonly<Record<string, unknown>>): Promise<ApiAnswer>
}): Operation {
  const { handle, ...rest } = options
  return { ...rest, handle: (call, input) => handle(call, input as Readonly<Record<string, unknown>>) } // read by these fields
}
