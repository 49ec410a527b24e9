import type { RepeatableHandler } from '../visit.ts'
import type { PageAnswer } from './answer.ts'

/** Reverse names of pages, as redirects, templates and settings use them. */
export type RouteName = string

/** Handles a request for a page; `params` come from its path. */
export type PageHandler = RepeatableHandler<[params: Readonly<Record<string, string>>], PageAnswer>

/** A page. HEAD is answered as GET. */
export interface PageRoute {
  readonly name: RouteName
  /** Relative to the mount point (`settings.pathPrefix`), e.g. `password/reset/key/{key}/`; absolute with a leading slash. */
  readonly path: string
  /** Other paths with the same handlers, e.g. the contract's `verify-email/`. */
  readonly aliases?: readonly string[]
  readonly GET?: PageHandler
  readonly POST?: PageHandler
  /** `auth`: the frame sends anonymous visitors to sign in, with `next`. `recent`: besides, confirmed lately. */
  readonly access: 'anon' | 'auth' | 'recent'
  /** The frame takes this limit before a POST (429). */
  readonly limit?: { readonly action: string; readonly per: 'ip' | 'user' }
  /** Without CSRF check: only where something else protects. */
  readonly csrfExempt?: true
  /** There too where the front end has all pages (`HEADLESS_ONLY`): others lead visitors there, as providers do. */
  readonly withoutPages?: true
}
