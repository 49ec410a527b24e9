import type { Account } from '../account/account.ts'
import type { ConnectedKernel } from '../kernel/module.ts'
import type { ApiResource } from '../kernel/operations/operation.ts'
import type { HeadlessAdapter } from './adapter.ts'
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
