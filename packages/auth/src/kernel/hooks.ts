import type { InputError } from '../errors.ts'
import type { BoundForm } from './forms/form.ts'
import type { PageAnswer } from './http/route.ts'
import type { User } from './users/user.ts'
import type { Visit } from './visit.ts'

/** What a script gets instead of a page: the page's data, or its redirect. */
export interface AjaxAnswer {
  readonly status: number
  readonly redirectTo?: string
  readonly form?: BoundForm
  readonly html?: string
  readonly data?: unknown
}

/** What the kernel leaves to the accounts, and so to the hooks of the host. */
export interface KernelHooks {
  getClientIp(request: Request, remoteAddress: string | null): string | null
  getHttpUserAgent(request: Request): string
  isSafeUrl(visit: Visit, url: string): boolean
  isAjax(request: Request): boolean
  ajaxResponse(visit: Visit, answer: AjaxAnswer): Response
  userDisplay(user: User): string
  /** Returns the error of a code, with its text. */
  validationError(
    code: string,
    options?: { param?: string; values?: Readonly<Record<string, string | number>> },
  ): InputError
  /** Returns whether the visitor has proved who they are within `reauthenticationTimeout` seconds. */
  isRecent(visit: Visit): Promise<boolean>
  /** Sends the visitor to prove who they are, and back here. */
  demandReauthentication(visit: Visit): Promise<PageAnswer>
}

/** Returns the given hooks of these names, those of a class instance too; methods keep their object. */
export function bindHooks<Hooks extends object>(given: Hooks, names: readonly string[]): Hooks {
  const hooks = names.flatMap((name) => {
    const hook: unknown = Reflect.get(given, name)
    return typeof hook === 'function' ? [[name, hook.bind(given) as unknown] as const] : [] // `bind` of a Function is any
  })
  return Object.fromEntries(hooks) as Hooks // the same names, each with its own hook
}
