import type { Account } from '../account/account.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { ConnectedKernel } from '../kernel/module.ts'
import type { ApiResource } from '../kernel/operations/operation.ts'
import type { User } from '../kernel/users/user.ts'
import type { Visit } from '../kernel/visit.ts'
import type { ApiGuards } from './api-guards.ts'
import type { TokenStrategy } from './tokens/strategy.ts'

/** The JSON API, with the operations of all enabled modules. */
export interface Headless {
  readonly kernel: ConnectedKernel
  readonly account: Account
  readonly adapter: HeadlessAdapter
  readonly tokens: Required<TokenStrategy>
  /** Guards the host's own APIs, which are called with the tokens of the JSON API. */
  readonly guards: ApiGuards
  /** Loads the operations of all enabled modules, by resource. */
  loadResources(): Promise<readonly ApiResource[]>
}

/** A user as the JSON API shows it. A host may add members. */
export interface ApiUser {
  readonly id?: number | string
  readonly display: string
  readonly email?: string
  readonly username?: string
  readonly has_usable_password: boolean
  readonly [member: string]: unknown
}

/** The hooks of the JSON API (reference, section 6.2.4, in camelCase). */
export interface HeadlessAdapter {
  /** Returns a user for responses, which omit members that are empty or `null`. */
  serializeUser(request: Visit, user: User): ApiUser | Promise<ApiUser>
  /** Returns the absolute URL of a front-end page, or `null` if none is configured. */
  getFrontendUrl(request: Visit, name: string, params?: Readonly<Record<string, string>>): string | null
  /**
   * Returns the JSON Schema of the members that `serializeUser` adds (`properties`, `required`), for the API
   * description. If a host overrides only `serializeUser`, the description allows any additional members.
   */
  getUserSchema(): {
    readonly properties?: Readonly<Record<string, object>>
    readonly required?: readonly string[]
    readonly additionalProperties?: boolean
  }
  /** Returns additional claims for access tokens. They can't replace the standard ones. */
  getClaims(user: User): Readonly<Record<string, unknown>>
}
/** A host's changes to the JSON API. */
export type HeadlessOverrides = Partial<HeadlessAdapter> & {
  /** Creates a token strategy that replaces the one in `HEADLESS_TOKEN_STRATEGY`. */
  tokenStrategy?(kernel: Kernel): TokenStrategy
}

/** A host's changes, or a function that returns them and gets the defaults. */
export type HeadlessAdapterInput = HeadlessOverrides | ((defaults: HeadlessAdapter) => HeadlessOverrides)
