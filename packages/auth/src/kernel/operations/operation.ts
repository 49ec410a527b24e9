import type { InputError } from '../../errors.ts'
import type { Visit } from '../visit.ts'
import type { InputField, InputOf } from './input.ts'
import type { ShapeName } from './shape-name.ts'

/** The HTTP method of an operation. */
export type ApiMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** The kind of client: a browser with cookies, or an app with tokens. */
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

/** A way on that the JSON API offers, or a step that a login waits for (4.2.3 of the reference). */
export interface ApiFlow {
  readonly id: string
  readonly is_pending?: boolean
  readonly types?: readonly string[]
  readonly providers?: readonly string[]
  readonly provider?: object
}

/** One method of a resource. Made by `operation`. */
export interface Operation {
  readonly summary: string
  readonly input: (visit: Visit) => readonly InputField[]
  /** Names of query parameters that count by being there. */
  readonly query?: readonly string[]
  /** Shapes of what is answered besides what follows from the resource (401, 410, 429, 400 of an input). */
  readonly answers: Readonly<Partial<Record<number, ShapeName>>>
  /** The body is not looked at: a malformed one is no error. */
  readonly ignoresBody?: true
  /** Called before 400 is answered for an input that its fields refuse: where that counts as a wrong try. */
  invalid?(visit: Visit, errors: readonly InputError[]): Promise<void>
  handle(visit: Visit, input: unknown): Promise<ApiAnswer>
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
  readonly before?: (visit: Visit, method: string) => Promise<ApiAnswer | null>
  readonly operations: Readonly<Partial<Record<ApiMethod, Operation>>>
  /** Its body is a form (`request.form`) that brings the CSRF token: a browser goes there, no script asks. */
  readonly takesForm?: true
}

/** An operation whose handler gets what its fields say. */
export function operation<const Fields extends readonly InputField[] = readonly []>(options: {
  readonly summary: string
  readonly input?: Fields
  readonly query?: readonly string[]
  readonly answers: Operation['answers']
  readonly ignoresBody?: true
  invalid?(visit: Visit, errors: readonly InputError[]): Promise<void>
  handle(visit: Visit, input: InputOf<Fields>): Promise<ApiAnswer>
}): Operation {
  const { input: fields, handle, ...rest } = options
  return {
    ...rest,
    input: () => fields ?? [],
    handle: (visit, input) => handle(visit, input as InputOf<Fields>), // read by these fields
  }
}

/** An operation whose fields the settings and the host decide, such as a sign-up. */
export function operationOf(options: {
  readonly summary: string
  readonly input: (visit: Visit) => readonly InputField[]
  readonly answers: Operation['answers']
  handle(visit: Visit, input: Readonly<Record<string, unknown>>): Promise<ApiAnswer>
}): Operation {
  const { handle, ...rest } = options
  return { ...rest, handle: (visit, input) => handle(visit, input as Readonly<Record<string, unknown>>) } // read by these fields
}
