import type { BoundForm } from '../forms/form.ts'

/** What a page's handler answers; the frame makes the response of it, also in XHR mode (4.1.2 of the reference). */
export type PageAnswer =
  | {
      readonly kind: 'page'
      /** Template without extension, e.g. `account/login`. */
      readonly template: string
      readonly context: Readonly<Record<string, unknown>>
      /** The form of the page, for XHR mode; in `context` as `form` too. */
      readonly form?: BoundForm
      /** Default 200. */
      readonly status?: number
      /** For XHR mode. */
      readonly data?: unknown
      /** Sources (CSP Level 3) besides our own where the forms of the page may lead in the end, e.g. `https:`. */
      readonly formTargets?: readonly string[]
    }
  /** 302. Only checked targets: a route of ours, a setting, or what `safeNext` let through. */
  | { readonly kind: 'redirect'; readonly to: string; readonly data?: unknown }
  | { readonly kind: 'response'; readonly response: Response }
