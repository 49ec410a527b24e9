import type { ApiUser, AuthenticationMethod, Flow } from '../description/types.ts'
import type { OperationName } from './operations.ts'
import type { AnyAnswer } from './transport.ts'

/** Where the visitor stands, as the newest answer says. */
export interface Authentication {
  readonly isAuthenticated: boolean
  /** Who is signed in. */
  readonly user: ApiUser | null
  /** How they have proved who they are. */
  readonly methods: readonly AuthenticationMethod[]
  /** Flows to continue with: sign in, the pending step, or (when signed in) reauthentication. */
  readonly flows: readonly Flow[]
}

/** Called with where the visitor stands now. */
export type AuthenticationListener = (authentication: Authentication) => void

/** Authentication events that every client emits. */
export interface AuthenticationEvents {
  /** Where the visitor stands; `null` until an answer has said so: ask `getSession`. */
  authentication(): Authentication | null
  /** Calls `listener` at every change. @returns what ends it */
  onChange(listener: AuthenticationListener): () => void
}

/** Follows the answers of one client. */
export interface AuthenticationTracker extends AuthenticationEvents {
  /** A request begins. @returns what is given its answer */
  begin(name: OperationName): (answer: AnyAnswer) => void
  /** Nobody is signed in any more, whatever was answered last. */
  reset(): void
}

/** Operations that return 401 when they don't fit the current stage, even to a signed-in user. */
const OF_STAGES: ReadonlySet<string> = new Set([
  'authenticateByCode',
  'trustBrowser',
  'getWebauthnAuthentication',
  'authenticateByWebauthn',
])

/** Returns whether a response reliably reports that the visitor is signed out. */
export const reportsSignedOut = (name: OperationName, { meta }: AnyAnswer): boolean =>
  meta?.['is_authenticated'] === false && !OF_STAGES.has(name)

/** Creates a tracker that derives the authentication state from the replies of the API. */
export function trackAuthentication(): AuthenticationTracker {
  const listeners = new Set<AuthenticationListener>()
  let current: Authentication | null = null
  let begun = 0
  let heard = 0
  const change = (next: Authentication): void => {
    const isSame = JSON.stringify(current) === JSON.stringify(next)
    current = next
    if (!isSame) for (const listener of listeners) notifyListener(listener, next)
  }
  return {
    authentication: () => current,
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    begin(name) {
      const order = ++begun
      return (answer) => {
        const next = parseAuthentication(answer)
        // The answer to an older request may come late, and knows nothing of what came meanwhile.
        if (next === null || order < heard) return
        if (current?.isAuthenticated === true && !next.isAuthenticated && !reportsSignedOut(name, answer)) return
        heard = order
        change(next)
      }
    },
    reset() {
      heard = ++begun
      change({
        isAuthenticated: false,
        user: null,
        methods: [],
        flows: current?.isAuthenticated ? [] : (current?.flows ?? []),
      })
    },
  }
}

/** What a listener throws is no failure of the request: the platform reports it as uncaught. */
function notifyListener(listener: AuthenticationListener, authentication: Authentication): void {
  try {
    listener(authentication)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}

interface AuthenticationData {
  readonly user?: ApiUser
  readonly methods?: readonly AuthenticationMethod[]
  readonly flows?: readonly Flow[]
}

function parseAuthentication({ data, meta }: AnyAnswer): Authentication | null {
  const isAuthenticated = meta?.['is_authenticated']
  if (typeof isAuthenticated !== 'boolean') return null
  const { user = null, methods = [], flows = [] } = (data ?? {}) as AuthenticationData // what has that member has these
  return { isAuthenticated, user, methods, flows }
}
