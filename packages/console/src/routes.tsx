import type { QueryClient } from '@tanstack/react-query'
import { createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router'
import { consolePath } from './api/address.ts'
import { call } from './api/call.ts'
import { queryKey } from './api/queries.ts'
import { Crashed, NotFound } from './frame/lost.tsx'
import { SessionGate } from './frame/session-gate.tsx'
import { pageModule } from './page-module.tsx'

const root = createRootRoute({ component: SessionGate, notFoundComponent: NotFound, errorComponent: Crashed })

const at = <const P extends string>(path: P, page: () => Promise<{ readonly Page: () => React.ReactNode }>) =>
  createRoute({ getParentRoute: () => root, path, component: pageModule(page) })

/** Every page of the console: its path and its module, which is loaded when somebody goes there. */
const pages = [
  at('/channels', () => import('./pages/channels/channels-page.tsx')),
  at('/channels/$platform', () => import('./pages/channels/channel-page.tsx')),
  at('/channels/$platform/setup', () => import('./pages/channels/setup-page.tsx')),
  at('/conversations', () => import('./pages/conversations/conversations-page.tsx')),
  at('/conversations/$id', () => import('./pages/conversations/conversation-page.tsx')),
  at('/send', () => import('./pages/conversations/send-page.tsx')),
  at('/failed', () => import('./pages/conversations/failed-page.tsx')),
  at('/doctor', () => import('./pages/doctor/doctor-page.tsx')),
  at('/figures', () => import('./pages/figures/figures-page.tsx')),
  at('/assistant', () => import('./pages/assistant/assistant-page.tsx')),
  at('/logs', () => import('./pages/logs/logs-page.tsx')),
  at('/account', () => import('./pages/account/account-page.tsx')),
  at('/staff', () => import('./pages/staff/people-page.tsx')),
  at('/staff/social-apps', () => import('./pages/staff/social-apps-page.tsx')),
  at('/staff/clients', () => import('./pages/staff/clients-page.tsx')),
  at('/staff/audit', () => import('./pages/staff/audit-page.tsx')),
  at('/welcome', () => import('./pages/welcome/welcome-page.tsx')),
  at('/demo', () => import('./pages/demo/demo-page.tsx')),
] as const

/** The first page: the demo of a demo, else the channels. */
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
        .catch(() => null) // the frame says what is wrong
      // oxlint-disable-next-line typescript/only-throw-error -- so the router is told
      throw redirect({ to: service?.demo === true ? '/demo' : '/channels', replace: true })
    },
  })

const treeOf = (client: QueryClient) => root.addChildren([index(client), ...pages])

/** The routes of the console below its own path. */
export const createConsoleRouter = (client: QueryClient) =>
  createRouter({
    routeTree: treeOf(client),
    basepath: consolePath(),
    defaultPreload: 'intent',
    // what surrounds a page stays when it fails
    defaultErrorComponent: Crashed,
    scrollRestoration: true,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}
