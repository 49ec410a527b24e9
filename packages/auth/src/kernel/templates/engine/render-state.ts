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
  /** What the functions have answered, in the order of the calls: a rendering that begins anew calls none again. */
  readonly answers: unknown[]
  /** Calls so far. */
  called: number
  /** What promises have come to. */
  readonly outcomes: Map<Promise<unknown>, () => unknown>
}

export type HostFunction = (...args: readonly unknown[]) => unknown

/** Thrown where a rendering meets a promise: once that is settled, it begins anew. Rendering changes nothing. */
export class Pending extends Error {
  override readonly name = 'Pending'
  readonly promise: Promise<unknown>
  constructor(promise: Promise<unknown>) {
    super('a value of a page is not there yet')
    this.promise = promise
  }
}

/** Where the globals of a rendering hold its state: no name of a template is a symbol. */
const STATE = Symbol('state')

/** What templates see. (A `WeakMap` would keep every rendering until the next full garbage collection.) */
export interface Globals extends Record<string, unknown> {
  [STATE]?: RenderState
}

/**
 * Parts a context into what templates see and the functions that only tags call.
 * @returns the globals of the rendering, to which its state belongs
 */
export function beginRender(context: Readonly<Record<string, unknown>>, t: Translate): Globals {
  const functions = new Map<string, HostFunction>()
  const values: Globals = {}
  for (const [name, value] of Object.entries(context)) {
    if (isFunction(value)) functions.set(name, value)
    else values[name] = value
  }
  values[STATE] = { t, functions, values, layout: null, answers: [], called: 0, outcomes: new Map() }
  return values
}

/** Renders to the end: `attempt` runs again each time that a promise it has met is settled. */
export async function renderSettled<R>(globals: Globals, attempt: () => R): Promise<R> {
  for (;;) {
    const state = stateOf({ globals })
    state.layout = null
    state.called = 0
    try {
      return attempt()
    } catch (error) {
      if (!(error instanceof Pending)) throw error
      state.outcomes.set(error.promise, await outcomeOf(error.promise))
    }
  }
}

async function outcomeOf(promise: Promise<unknown>): Promise<() => unknown> {
  try {
    const value = await promise
    return () => value
  } catch (error) {
    return () => {
      throw error
    }
  }
}

const isFunction = (value: unknown): value is HostFunction => typeof value === 'function'

/** The state of the rendering that `ctx` belongs to, also inside of elements and partials. */
export function stateOf(ctx: Pick<Context, 'globals'>): RenderState {
  const globals: Globals = ctx.globals
  const state = globals[STATE]
  if (!state) throw new Error('A template is rendered without its state.')
  return state
}

/** What a promise has come to. @throws {Pending} when that is not known yet; and what it was rejected with */
export function settled(ctx: Context, promise: Promise<unknown>): unknown {
  const outcome = stateOf(ctx).outcomes.get(promise)
  if (outcome === undefined) throw new Pending(promise)
  return outcome()
}

/** Calls a function of the context. @throws {Error} when the page was given none of this name; and as `settled` */
export function callHost(ctx: Context, name: string, ...args: readonly unknown[]): unknown {
  const state = stateOf(ctx)
  const host = state.functions.get(name)
  if (!host) throw new Error(`The page has been given no function "${name}".`)
  const at = state.called++
  if (at === state.answers.length) state.answers.push(host(...args))
  const answer = state.answers[at]
  return answer instanceof Promise ? settled(ctx, answer) : answer
}
