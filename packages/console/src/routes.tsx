import type { QueryClient } from '@tanstack/react-query'
import { createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router'
import { consolePath } from './api/address.ts'
import { call } from './api/call.ts'
import { queryKey } from './api/queries.ts'
import { PageError, NotFound } from './frame/lost.tsx'
import { SessionGate } from './frame/session-gate.tsx'
import { pageModule } from './page-module.tsx'

const root = createRootRoute({ component: SessionGate, notFoundComponent: NotFound, errorComponent: PageError })

const pageRoute = <const P extends string>(path: P, page: () => Promise<{ readonly Page: () => React.ReactNode }>) =>
  createRoute({ getParentRoute: () => root, path, component: pageModule(page) })

/** All pages with their lazily loaded modules. */
const pages = [
  pageRoute('/channels', () => import('./pages/channels/channels-page.tsx')),
  pageRoute('/channels/$platform', () => import('./pages/channels/channel-page.tsx')),
  pageRoute('/channels/$platform/setup', () => import('./pages/channels/setup-page.tsx')),
  pageRoute('/conversations', () => import('./pages/conversations/conversations-page.tsx')),
  pageRoute('/conversations/$id', () => import('./pages/conversations/conversation-page.tsx')),
  pageRoute('/send', () => import('./pages/conversations/send-page.tsx')),
  pageRoute('/failed', () => import('./pages/conversations/failed-page.tsx')),
  pageRoute('/doctor', () => import('./pages/doctor/doctor-page.tsx')),
  pageRoute('/figures', () => import('./pages/figures/figures-page.tsx')),
  pageRoute('/assistant', () => import('./pages/assistant/assistant-page.tsx')),
  pageRoute('/logs', () => import('./pages/logs/logs-page.tsx')),
  pageRoute('/account', () => import('./pages/account/account-page.tsx')),
  pageRoute('/staff', () => import('./pages/staff/people-page.tsx')),
  pageRoute('/staff/social-apps', () => import('./pages/staff/social-apps-page.tsx')),
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
