import type { InputError } from '../errors.ts'
import type { BoundForm } from './forms/form.ts'
import type { PageAnswer } from './http/route.ts'
import type { User } from './users/user.ts'
import type { Visit } from './visit.ts'

/** The input of `ajaxResponse`: a page's data or redirect, for a script. */
export interface AjaxAnswer {
  readonly status: number
  readonly redirectTo?: string
  readonly form?: BoundForm
  readonly html?: string
  readonly data?: unknown
}

/** The decisions that the kernel leaves to the `account` module, and through it to the host's hooks. */
export interface KernelHooks {
  getClientIp(request: Request, remoteAddress: string | null): string | null
  getHttpUserAgent(request: Request): string
  isSafeUrl(visit: Visit, url: string): boolean
  isAjax(request: Request): boolean
  ajaxResponse(visit: Visit, answer: AjaxAnswer): Response
  userDisplay(user: User): string
  /** Returns the error for a code, with its message. */
  validationError(
    code: string,
    options?: { param?: string; values?: Readonly<Record<string, string | number>> },
  ): InputError
  /** Returns whether the visitor authenticated within the last `reauthenticationTimeout` seconds. */
  isRecent(visit: Visit): Promise<boolean>
  /** Redirects the visitor to reauthenticate, and then back to this page. */
  demandReauthentication(visit: Visit): Promise<PageAnswer>
}

/** Returns the hooks with these names, bound to the object they came from; it may be a class instance. */
export function bindHooks<Hooks extends object>(given: Hooks, names: readonly string[]): Hooks {
  const hooks = names.flatMap((name) => {
    const hook: unknown = Reflect.get(given, name)
    return typeof hook === 'function' ? [[name, hook.bind(given) as unknown] as const] : [] // `bind` of a Function is any
  })
  return Object.fromEntries(hooks) as Hooks // the same names, each with its own hook
}
