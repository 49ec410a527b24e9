import type { ApiUser, AuthenticationMethod, Flow } from '../description/types.ts'
import type { OperationName } from './operations.ts'
import type { AnyAnswer } from './transport.ts'

/** The visitor's authentication state, according to the latest response. */
export interface Authentication {
  readonly isAuthenticated: boolean
  /** The signed-in user. */
  readonly user: ApiUser | null
  /** How the user authenticated. */
  readonly methods: readonly AuthenticationMethod[]
  /** The flows to continue with: login, the pending step, or reauthentication if signed in. */
  readonly flows: readonly Flow[]
}

/** Called with the new authentication state. */
export type AuthenticationListener = (authentication: Authentication) => void

/** Authentication events that every client emits. */
export interface AuthenticationEvents {
  /** Returns the authentication state, or `null` until a response has reported it. Call `getSession` to find out. */
  authentication(): Authentication | null
  /** Calls `listener` after every change. @returns a function that unsubscribes it */
  onChange(listener: AuthenticationListener): () => void
}

/** Derives the authentication state from a client's responses. */
export interface AuthenticationTracker extends AuthenticationEvents {
  /** Called before a request. @returns a function to call with its response */
  begin(name: OperationName): (answer: AnyAnswer) => void
  /** Sets the state to signed out, regardless of earlier responses. */
  reset(): void
}

/** Operations that return 401 when they don't fit the current stage, even to a signed-in user. */
const STAGE_OPERATIONS: ReadonlySet<string> = new Set([
  'authenticateByCode',
  'trustBrowser',
  'getWebauthnAuthentication',
  'authenticateByWebauthn',
])

/** Returns whether a response reliably reports that the visitor is signed out. */
export const reportsSignedOut = (name: OperationName, { meta }: AnyAnswer): boolean =>
  meta?.['is_authenticated'] === false && !STAGE_OPERATIONS.has(name)

/** Creates a tracker that derives the authentication state from the API's responses. */
export function trackAuthentication(): AuthenticationTracker {
  const listeners = new Set<AuthenticationListener>()
  let current: Authentication | null = null
  let lastSent = 0
  let lastReported = 0
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
      const order = ++lastSent
      return (answer) => {
        const next = parseAuthentication(answer)
        // A late response to an older request is out of date.
        if (next === null || order < lastReported) return
        if (current?.isAuthenticated === true && !next.isAuthenticated && !reportsSignedOut(name, answer)) return
        lastReported = order
        change(next)
      }
    },
    reset() {
      lastReported = ++lastSent
      change({
        isAuthenticated: false,
        user: null,
        methods: [],
        flows: current?.isAuthenticated ? [] : (current?.flows ?? []),
      })
    },
  }
}

/** Calls a listener. If it throws, the request doesn't fail; the error is reported as uncaught. */
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
  const { user = null, methods = [], flows = [] } = (data ?? {}) as AuthenticationData // responses with `is_authenticated` have this data
  return { isAuthenticated, user, methods, flows }
}
