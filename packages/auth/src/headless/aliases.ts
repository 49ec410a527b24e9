import type { ApiMethod } from '../kernel/operations/operation.ts'

/** What a path of the contract stands for. */
interface Meant {
  readonly method: ApiMethod
  /** Below `{client}/v1/`. */
  readonly path: string
}

const same = (path: string, methods: readonly ApiMethod[]): Readonly<Partial<Record<ApiMethod, Meant>>> =>
  Object.fromEntries(methods.map((method) => [method, { method, path }]))

/** Paths of the contract, without client and version (9.1 of the reference). */
const ALIASES: ReadonlyMap<string, Readonly<Partial<Record<ApiMethod, Meant>>>> = new Map([
  ['/headless/signup/', same('auth/signup', ['POST'])],
  ['/headless/authentication/login/', same('auth/login', ['POST'])],
  ['/headless/authentication/logout/', { POST: { method: 'DELETE', path: 'auth/session' } }],
  ['/headless/users/me/', same('auth/session', ['GET'])],
  ['/headless/emails/', same('account/email', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])],
  ['/headless/password/set/', same('account/password/change', ['POST'])],
  ['/headless/password/change/', same('account/password/change', ['POST'])],
  ['/headless/password/reset/', same('auth/password/request', ['POST'])],
])

/** Whether a path is one of the contract's. */
export const isAlias = (pathname: string): boolean => ALIASES.has(pathname)

/** What a request for a path of the contract means; `null`: none; `methods`: there, with these methods alone. */
export function aliasOf(pathname: string, method: string): Meant | { readonly methods: readonly string[] } | null {
  const alias = ALIASES.get(pathname)
  if (alias === undefined) return null
  const asked = method === 'HEAD' ? 'GET' : method
  const found = Object.entries(alias).find(([known]) => known === asked)
  return found?.[1] ?? { methods: Object.keys(alias) }
}
