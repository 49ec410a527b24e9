import type { Context } from 'liquidjs'
import type { Translate } from '../templates.ts'

/** What the tags of one rendering work with; templates themselves cannot see it. */
export interface RenderState {
  readonly t: Translate
  /** The functions of the context: `url`, `has`, `asset`, `user_display` … */
  readonly functions: ReadonlyMap<string, HostFunction>
  /** The rest of the context. */
  readonly values: Readonly<Record<string, unknown>>
  /** First layout that the page extends, without `layouts/`. */
  layout: string | null
}

export type HostFunction = (...args: readonly unknown[]) => unknown

const states = new WeakMap<object, RenderState>()

/**
 * Parts a context into what templates see and the functions that only tags call.
 * @returns the globals of the rendering, to which its state belongs
 */
export function beginRender(context: Readonly<Record<string, unknown>>, t: Translate): Record<string, unknown> {
  const functions = new Map<string, HostFunction>()
  const values: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(context)) {
    if (isFunction(value)) functions.set(name, value)
    else values[name] = value
  }
  states.set(values, { t, functions, values, layout: null })
  return values
}

const isFunction = (value: unknown): value is HostFunction => typeof value === 'function'

/** The state of the rendering that `ctx` belongs to, also inside of elements and partials. */
export function stateOf(ctx: Context): RenderState {
  const state = states.get(ctx.globals)
  if (!state) throw new Error('A template is rendered without its state.')
  return state
}

/** Calls a function of the context. @throws {Error} when the page was given none of this name */
export function callHost(ctx: Context, name: string, ...args: readonly unknown[]): unknown {
  const host = stateOf(ctx).functions.get(name)
  if (!host) throw new Error(`The page has been given no function "${name}".`)
  return host(...args)
}
