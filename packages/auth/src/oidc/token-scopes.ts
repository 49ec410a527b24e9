/** One scope, several that are all needed, or several such groups of which one is enough. */
export type ScopeGroups = string | readonly string[] | readonly (readonly string[])[]

/** Required scopes: always the same, or by HTTP method; a method that isn't listed is forbidden. */
export type TokenScope = ScopeGroups | ScopesByMethod

/** By method in capitals; HEAD is as GET unless it stands here. */
export interface ScopesByMethod {
  readonly [method: string]: ScopeGroups
}

const isByMethod = (scope: TokenScope): scope is ScopesByMethod => typeof scope === 'object' && !Array.isArray(scope)
const isGroups = (scope: readonly string[] | readonly (readonly string[])[]): scope is readonly (readonly string[])[] =>
  scope.length > 0 && typeof scope[0] !== 'string'

/** `null`: nobody may. */
function listScopeGroups(scope: TokenScope, method: string): readonly (readonly string[])[] | null {
  if (typeof scope === 'string') return [[scope]]
  if (!isByMethod(scope)) return isGroups(scope) ? scope : [scope]
  const name = method === 'HEAD' && !Object.hasOwn(scope, 'HEAD') ? 'GET' : method
  const own = Object.hasOwn(scope, name) ? scope[name] : undefined
  return own === undefined ? null : listScopeGroups(own, method)
}

/** Whether a token with these scopes may be used for a request of this method. */
export function allowsScope(scope: TokenScope, method: string, granted: readonly string[]): boolean {
  return listScopeGroups(scope, method)?.some((group) => group.every((each) => granted.includes(each))) === true
}

/** What a challenge names: the first group that would be enough. */
export const neededScopes = (scope: TokenScope, method: string): readonly string[] =>
  listScopeGroups(scope, method)?.[0] ?? []
