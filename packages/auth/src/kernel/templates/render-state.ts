import type { Context, Emitter } from 'liquidjs'
import { toText } from './markup.ts'
import type { Translate } from './translations.ts'

/** A function of a page's context. It may return a promise. */
export type HostFunction = (...args: readonly unknown[]) => unknown

/** The state that tags share within one rendering. Templates can't read it. */
export interface RenderState {
  readonly t: Translate
  /** The functions of the context: `url`, `has`, `asset`, `user_display` … */
  readonly functions: ReadonlyMap<string, HostFunction>
  /** The rest of the context. */
  readonly values: Readonly<Record<string, unknown>>
  /** First layout that the page extends, without `layouts/`. */
  layout: string | null
  /** The variable `page_layout`, for a page that extends no layout. */
  readonly fallbackLayout: string | null
}

/** Key of the state in the globals of a rendering. A template can't name a symbol. */
const STATE = Symbol('state')

/**
 * The variables that templates see. (A `WeakMap` would keep every rendering until the next full garbage collection.)
 */
export interface Globals extends Record<string, unknown> {
  [STATE]?: RenderState
}

/** A generator of LiquidJS: it yields generators, promises, and values, and is resumed with their results. */
export type Rendering<R = unknown> = Generator<unknown, R, unknown>

/** Splits a context into the values that templates see and the functions that only tags call. */
export function createGlobals(context: Readonly<Record<string, unknown>>, t: Translate): Globals {
  const functions = new Map<string, HostFunction>()
  const values: Globals = {}
  for (const [name, value] of Object.entries(context)) {
    if (isFunction(value)) functions.set(name, value)
    else values[name] = value
  }
  const { page_layout: fallback } = context
  const fallbackLayout = typeof fallback === 'string' ? fallback : null
  values[STATE] = { t, functions, values, fallbackLayout, layout: null }
  return values
}

const isFunction = (value: unknown): value is HostFunction => typeof value === 'function'

/** Returns the state of the rendering that `ctx` belongs to, also within elements and partials. */
export function getRenderState(ctx: Pick<Context, 'globals'>): RenderState {
  const globals: Globals = ctx.globals
  const state = globals[STATE]
  if (!state) throw new Error('A template is rendered without its state.')
  return state
}

/** Returns globals of the same rendering that call `onRead` whenever a template or a tag reads the page's context. */
export function watchGlobals(globals: Globals, onRead: () => void): Globals {
  const { functions, values, ...rest } = getRenderState({ globals })
  const state: RenderState = {
    ...rest,
    get functions() {
      onRead()
      return functions
    },
    get values() {
      onRead()
      return values
    },
  }
  return new Proxy(globals, {
    get: (target, key): unknown => (key === STATE ? state : Reflect.get(target, key)),
    // LiquidJS reads a variable only after it has found it to be an own property.
    getOwnPropertyDescriptor(target, key) {
      onRead()
      return Reflect.getOwnPropertyDescriptor(target, key)
    },
    ownKeys(target) {
      onRead()
      return Reflect.ownKeys(target)
    },
  })
}

/** Calls a function of the context. @throws {Error} if the page's context has no such function */
export function callHostFunction(ctx: Context, name: string, ...args: readonly unknown[]): unknown {
  const host = getRenderState(ctx).functions.get(name)
  if (!host) throw new Error(`The page's context has no function "${name}".`)
  return host(...args)
}

/** Returns an emitter that collects text. */
export const createEmitter = (): Emitter => ({
  buffer: '',
  write(html: unknown) {
    this.buffer += typeof html === 'string' ? html : toText(html)
  },
})

/**
 * Runs a LiquidJS generator to its end, synchronously unless it meets a promise, which it awaits. (The library's
 * `toValueSync` can't await, and its `toPromise` awaits every step of every expression, which takes several times as
 * long.)
 * @see LiquidJS, "Sync and Async": what generators yield
 */
export async function runGenerator(start: Rendering): Promise<unknown> {
  const running: Rendering[] = [start]
  let step = resume(running, { value: undefined, hasFailed: false })
  while (step.value instanceof Promise && !step.hasFailed) step = resume(running, await toOutcome(step.value))
  if (step.hasFailed) throw step.value
  return step.value
}

/** The outcome of a generator: its value, or the error it threw. */
interface Outcome {
  readonly value: unknown
  readonly hasFailed: boolean
}

async function toOutcome(promise: Promise<unknown>): Promise<Outcome> {
  try {
    return { value: await promise, hasFailed: false }
  } catch (error) {
    return { value: error, hasFailed: true }
  }
}

/** Resumes the innermost generator with `from`, then the outer ones, until the next promise or the end. */
function resume(running: Rendering[], from: Outcome): Outcome {
  let { value, hasFailed } = from
  let current = running.pop()
  while (current !== undefined) {
    try {
      const step = hasFailed ? current.throw(value) : current.next(value)
      hasFailed = false
      value = step.value
      if (typeof value !== 'object' || value === null) {
        if (step.done === true) current = running.pop()
      } else if (isGenerator(value)) {
        if (step.done !== true) running.push(current)
        current = value
        value = undefined
      } else if (value instanceof Promise) {
        if (step.done !== true) running.push(current)
        return { value, hasFailed }
      } else if (step.done === true) current = running.pop()
    } catch (error) {
      hasFailed = true
      value = error
      current = running.pop()
    }
  }
  return { value, hasFailed }
}

/** The method that every generator inherits. (Other objects have a `next` as well, such as a loop's `forloop`.) */
const { next: GENERATOR_NEXT }: { readonly next: unknown } = (function* (): Generator {
  yield
})()

const isGenerator = (value: object): value is Rendering => (value as Partial<Rendering>).next === GENERATOR_NEXT // reading the property is safe on any object

/** Whether a value must be yielded before it can be used. */
export const isUnfinished = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && (isGenerator(value) || value instanceof Promise)
