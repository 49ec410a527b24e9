import type { QueryClient } from '@tanstack/react-query'
import { createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router'
import { type ComponentType, type ReactNode, useEffect, useReducer, useState } from 'react'
import { ApiError, call, consolePath, isReachable } from './api/client.ts'
import { queryKey } from './api/queries.ts'
import { NotFound, PageError } from './frame/status-pages.tsx'
import { SessionGate } from './frame/session-gate.tsx'
import { ReauthenticationProvider } from './pages/account/reauthentication.tsx'
import { Page } from './parts/layout.tsx'
import { Failure, Loading } from './parts/states.tsx'
import { pause } from './pause.ts'

/** The console, whose every call may ask for reauthentication. */
const Root = (): ReactNode => (
  <ReauthenticationProvider>
    <SessionGate />
  </ReauthenticationProvider>
)

const root = createRootRoute({ component: Root, notFoundComponent: NotFound, errorComponent: PageError })

const pageRoute = <const P extends string>(path: P, page: () => Promise<{ readonly Page: () => React.ReactNode }>) =>
  createRoute({ getParentRoute: () => root, path, component: pageModule(page) })

/** All pages with their lazily loaded modules. */
const pages = [
  pageRoute('/channels', () => import('./pages/channels/channels-page.tsx')),
  pageRoute('/channels/$platform', () => import('./pages/channels/channel-page.tsx')),
  pageRoute('/channels/$platform/setup', () => import('./pages/channels/setup/setup-page.tsx')),
  pageRoute('/conversations', () => import('./pages/conversations/conversations-page.tsx')),
  pageRoute('/conversations/$id', () => import('./pages/conversations/conversations-page.tsx')),
  pageRoute('/send', () => import('./pages/conversations/send/send-page.tsx')),
  pageRoute('/failed', () => import('./pages/conversations/failed-page.tsx')),
  pageRoute('/doctor', () => import('./pages/doctor/doctor-page.tsx')),
  pageRoute('/analytics', () => import('./pages/analytics/analytics-page.tsx')),
  pageRoute('/assistant', () => import('./pages/assistant/assistant-page.tsx')),
  pageRoute('/logs', () => import('./pages/logs/logs-page.tsx')),
  pageRoute('/account', () => import('./pages/account/account-page.tsx')),
  pageRoute('/staff', () => import('./pages/staff/accounts-page.tsx')),
  pageRoute('/staff/social-apps', () => import('./pages/staff/social-login-page.tsx')),
  pageRoute('/staff/clients', () => import('./pages/staff/clients-page.tsx')),
  pageRoute('/staff/audit', () => import('./pages/staff/audit-page.tsx')),
  pageRoute('/welcome', () => import('./pages/welcome/welcome-page.tsx')),
  pageRoute('/demo', () => import('./pages/demo/demo-page.tsx')),
] as const

/** The index route: the demo page of a demo, otherwise the channels. */
const index = (client: QueryClient) =>
  createRoute({
    getParentRoute: () => root,
    path: '/',
    beforeLoad: async () => {
      const service = await client
        .query({
          queryKey: queryKey('getService'),
          queryFn: ({ signal }) => call('getService', {}, signal),
          staleTime: 'static',
        })
        .catch(() => null) // the frame shows the error
      // oxlint-disable-next-line typescript/only-throw-error -- the router's way to redirect
      throw redirect({ to: service?.demo === true ? '/demo' : '/channels', replace: true })
    },
  })

const createRouteTree = (client: QueryClient) => root.addChildren([index(client), ...pages])

/** Creates the router of the console. */
export const createConsoleRouter = (client: QueryClient) =>
  createRouter({
    routeTree: createRouteTree(client),
    basepath: consolePath(),
    defaultPreload: 'intent',
    // keeps the frame when a page fails
    defaultErrorComponent: PageError,
    scrollRestoration: true,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}

type Load = () => Promise<void>

/** Creates a page whose module loads on first use, or earlier with `preload`. */
function pageModule(
  imported: () => Promise<{ readonly Page: ComponentType }>,
): (() => ReactNode) & { preload(): Promise<void> } {
  let Known: ComponentType | null = null
  const load: Load = async () => {
    Known = (await imported()).Page
  }
  const Lazy = (): ReactNode => {
    const [, rerender] = useReducer((times: number) => times + 1, 0)
    return Known === null ? <LoadingPage load={load} onLoaded={rerender} /> : <Known />
  }
  // retried when the page is opened
  return Object.assign(Lazy, { preload: () => load().catch(() => undefined) })
}

/** A placeholder for a page until its module is loaded. */
function LoadingPage({ load, onLoaded }: { readonly load: Load; onLoaded(): void }): ReactNode {
  const [error, setError] = useState<unknown>(null)
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    void loadWithRetry(load, setError, signal).then(
      () => signal.aborted || onLoaded(),
      (cause: unknown) => signal.aborted || setError(cause),
    )
    return () => leaving.abort()
  }, [load, onLoaded])
  return (
    <Page title="Gatepost">
      {error === null ? <Loading lines={6} /> : <Failure error={error} onRetry={() => location.reload()} />}
    </Page>
  )
}

const AGAIN_MS = 2_000
const JUST_NOW_MS = 60_000

/**
 * Retries until the module loads. If the service responds but doesn't have the module, it serves a newer build:
 * the page is then reloaded, once.
 */
async function loadWithRetry(load: Load, onError: (error: unknown) => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      return await load()
    } catch (cause) {
      if (await isReachable(signal)) {
        if (wasJustReloaded()) throw cause
        location.reload()
      } else onError(new ApiError('no_answer', "Couldn't reach the service.", {}, { cause }))
    }
    await pause(AGAIN_MS, signal)
  }
}

/** Reports whether the page was reloaded a moment ago, so that it isn't reloaded again. */
const wasJustReloaded = (): boolean =>
  performance.now() < JUST_NOW_MS &&
  performance.getEntriesByType('navigation').some((entry) => (entry as PerformanceNavigationTiming).type === 'reload') // all entries of this type are
