import type { Account } from '../account/account.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { ConnectedKernel } from '../kernel/module.ts'
import type { ApiResource } from '../kernel/operations/operation.ts'
import type { User } from '../kernel/users/user.ts'
import type { Visit } from '../kernel/visit.ts'
import type { ApiGuards } from './api-guards.ts'
import type { TokenStrategy } from './tokens/strategy.ts'

/** The JSON API. Its operations are those of the modules that are on. */
export interface Headless {
  readonly kernel: ConnectedKernel
  readonly account: Account
  readonly adapter: HeadlessAdapter
  readonly tokens: Required<TokenStrategy>
  /** Guards an API of the host's own that is called with the tokens of the JSON API. */
  readonly guards: ApiGuards
  /** Loads the operations of every module that is on, by resource. */
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

/** Everything about the JSON API that a host may decide otherwise: section 6.2.4 of the reference, in camelCase. */
export interface HeadlessAdapter {
  /** Members that are empty or null are left out of the answer. */
  serializeUser(request: Visit, user: User): ApiUser | Promise<ApiUser>
  /** Link of the front end, absolute; `null`: none is configured. */
  getFrontendUrl(request: Visit, name: string, params?: Readonly<Record<string, string>>): string | null
  /**
   * JSON Schema of the members that `serializeUser` adds (`properties`, `required`), for the description of the API.
   * Without one the description of a host with a `serializeUser` of its own says that there may be more.
   */
  getUserSchema(): {
    readonly properties?: Readonly<Record<string, object>>
    readonly required?: readonly string[]
    readonly additionalProperties?: boolean
  }
  /** Claims that access tokens carry besides; those of the protocol cannot be changed. */
  getClaims(user: User): Readonly<Record<string, unknown>>
}
/** What a host changes of the JSON API. */
export type HeadlessOverrides = Partial<HeadlessAdapter> & {
  /** What apps are given to be known by, in place of what `HEADLESS_TOKEN_STRATEGY` names. */
  tokenStrategy?(kernel: Kernel): TokenStrategy
}

/** A host's changes, or a function that makes them from the defaults. */
export type HeadlessAdapterInput = HeadlessOverrides | ((defaults: HeadlessAdapter) => HeadlessOverrides)
