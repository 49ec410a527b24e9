import type { HeadlessAdapter } from './adapter.ts'
import type { TokenStrategy } from './tokens/strategy.ts'

/** The JSON API's own parts. */
export interface Headless {
  readonly adapter: HeadlessAdapter
  readonly tokens: Required<TokenStrategy>
}
