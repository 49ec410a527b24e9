import type { Context, Filter, Token, Value } from 'liquidjs'
import type { LiquidLibrary } from './library.ts'
import { settled } from './render-state.ts'

/** What an expression is now. */
export type Read = (ctx: Context) => unknown

/**
 * Expressions as functions. The library evaluates them by generators within generators, which is most of what a page
 * costs; those that are rare are left to it.
 */
export interface DirectValues {
  /** An output, a condition, or what is assigned. */
  value(value: Value): Read
  /** An argument of a tag. */
  argument(token: Token): Read
}

/** What the library keeps of a filter to itself. */
interface FilterParts {
  readonly handler: (this: object, ...args: readonly unknown[]) => unknown
  readonly token: unknown
  readonly liquid: unknown
}

/** What the library keeps of a context to itself: the scope that has a variable. */
interface Scopes {
  findScope(name: string | number): object
}

export function directValues(library: LiquidLibrary): DirectValues {
  return {
    value({ initial, filters }) {
      const first = expression(library, initial.postfix)
      const further = filters.map((filter) => applied(library, filter))
      if (further.length === 0) return first
      return (ctx) => further.reduce((value, apply) => apply(ctx, value), first(ctx))
    },
    argument(token) {
      const read = ofToken(library, token)
      return (ctx): unknown => library.toValue(read(ctx))
    },
  }
}

const nothing: Read = () => undefined

function ofToken(library: LiquidLibrary, token: Token): Read {
  if ('content' in token) {
    const { content } = token
    return () => content
  }
  if (library.TypeGuards.isPropertyAccessToken(token) && token.variable === undefined) {
    const names = token.props.flatMap((prop) => ('content' in prop ? nameOf(prop.content) : []))
    const [first] = names
    if (first !== undefined && names.length === token.props.length) return property(library, first, names)
  }
  return (ctx): unknown => library.toValueSync(library.evalToken(token, ctx))
}

const nameOf = (content: unknown): readonly (string | number)[] =>
  typeof content === 'string' || typeof content === 'number' ? [content] : []

const property =
  (library: LiquidLibrary, first: string | number, names: readonly (string | number)[]): Read =>
  (ctx) => {
    const scopes = ctx as unknown as Scopes // private there
    let value: unknown = scopes.findScope(first)
    for (const name of names) value = done(library, ctx, ctx.readProperty(value as object, name)) // it takes anything
    return value
  }

function expression(library: LiquidLibrary, postfix: readonly Token[]): Read {
  const operands: Read[] = []
  for (const token of postfix) {
    if (!library.TypeGuards.isOperatorToken(token)) {
      operands.push(ofToken(library, token))
      continue
    }
    const right = operands.pop() ?? nothing
    const left = token.operator === 'not' ? nothing : (operands.pop() ?? nothing)
    operands.push(operation(library, token.operator, left, right))
  }
  return operands[0] ?? nothing
}

function operation({ isTruthy, toValueSync }: LiquidLibrary, operator: string, left: Read, right: Read): Read {
  if (operator === 'not') return (ctx) => !isTruthy(right(ctx), ctx)
  if (operator === 'and') return (ctx) => isTruthy(left(ctx), ctx) && isTruthy(right(ctx), ctx)
  if (operator === 'or') return (ctx) => isTruthy(left(ctx), ctx) || isTruthy(right(ctx), ctx)
  return (ctx): unknown => {
    const [l, r] = [left(ctx), right(ctx)]
    if (operator === '==' && isPlain(l) && isPlain(r)) return l === r
    return toValueSync(ctx.opts.operators[operator]?.(l, r, ctx))
  }
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null

function applied(library: LiquidLibrary, filter: Filter): (ctx: Context, value: unknown) => unknown {
  const { handler, token, liquid } = filter as unknown as FilterParts // private there
  const args = filter.args.map((arg): Read => {
    if (!Array.isArray(arg)) return ofToken(library, arg)
    const [name, value] = arg
    const read = value === undefined ? nothing : ofToken(library, value)
    return (ctx) => [name, read(ctx)]
  })
  return (ctx, value) => {
    const own = { context: ctx, token, liquid }
    return done(library, ctx, handler.call(own, value, ...args.map((read) => read(ctx))))
  }
}

/** What the library's generators and the page's promises come to. */
function done({ toValueSync }: LiquidLibrary, ctx: Context, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Promise) return settled(ctx, value)
  const isGenerator = 'next' in value && typeof value.next === 'function'
  return isGenerator ? toValueSync(value as Iterator<unknown>) : value // the library makes no other objects of this kind
}
