import {
  Context,
  Drop,
  evalToken,
  type Expression,
  type Filter,
  isTruthy,
  type Liquid,
  type Scope,
  type Token,
  TypeGuards,
  type Value,
} from 'liquidjs'
import { isUnfinished, type Rendering } from './render-state.ts'

/**
 * Returns the value of an expression, or a promise or generator of it that the caller yields (`isUnfinished`). LiquidJS
 * runs each part of an expression as a generator, which took most of the time of a page. Compiled expressions need one
 * only to wait for a promise, or for a rare operator.
 */
export type Evaluate = (ctx: Context) => unknown

/** A context that reads variables without generators, from the scopes that tags push. */
export class PageContext extends Context {
  readonly #scopes: object[] = [this.bottom()]

  override push(scope: object): number {
    this.#scopes.push(scope)
    return super.push(scope)
  }

  override pop(): Scope | undefined {
    this.#scopes.pop()
    return super.pop()
  }

  override spawn(scope: object = {}): PageContext {
    const { opts, sync, globals, strictVariables, ownPropertyOnly, renderLimit, memoryLimit } = this
    const options = { sync, globals, strictVariables, ownPropertyOnly }
    return new PageContext(scope, opts, options, { renderLimit, memoryLimit, liquid: this.liquid as unknown })
  }

  /** Returns the value of a variable, which may be unfinished. */
  readVariable(name: string | number): unknown {
    for (let at = this.#scopes.length - 1; at >= 0; at--) {
      const scope = this.#scopes[at]
      if (scope !== undefined && name in scope) return this.readProperty(scope, name)
    }
    return this.readProperty(name in this.environments ? this.environments : this.globals, name)
  }
}

/** Compiles an expression with its filters. */
export function compileValue({ initial, filters }: Pick<Value, 'initial' | 'filters'>): Evaluate {
  const first = compileExpression(initial)
  const applied = filters.map(compileFilter)
  return applied.length === 0 ? first : (ctx) => applyFilters(applied, first(ctx), ctx, 0)
}

type Apply = (value: unknown, ctx: Context) => unknown

function applyFilters(filters: readonly Apply[], first: unknown, ctx: Context, from: number): unknown {
  let value = first
  for (let at = from; at < filters.length; at++) {
    if (isUnfinished(value)) return finishFilters(filters, value, ctx, at)
    value = filters[at]?.(value, ctx)
  }
  return value
}

function* finishFilters(filters: readonly Apply[], value: object, ctx: Context, at: number): Rendering {
  return yield applyFilters(filters, yield value, ctx, at)
}

function compileFilter({ name, args }: Filter): Apply {
  const names = args.map((arg) => (Array.isArray(arg) ? arg[0] : undefined))
  const reads = args.map((arg): Evaluate => {
    const token = Array.isArray(arg) ? arg[1] : arg
    return token === undefined ? () => undefined : compileToken(token)
  })
  const call = (value: unknown, values: readonly unknown[], ctx: Context): unknown => {
    const { liquid } = ctx as { readonly liquid: Liquid } // every page's context has one
    const filter = liquid.filters[name]
    const handler = typeof filter === 'function' ? filter : filter?.handler
    const pairs = values.map((argument, at) => (names[at] === undefined ? argument : [names[at], argument]))
    return handler === undefined ? value : Reflect.apply(handler, { context: ctx, liquid }, [value, ...pairs])
  }
  function* finish(value: unknown, values: readonly unknown[], ctx: Context): Rendering {
    const finished: unknown[] = []
    for (const argument of values) finished.push(isUnfinished(argument) ? yield argument : argument)
    return yield call(value, finished, ctx)
  }
  return (value, ctx) => {
    const values = reads.map((read) => read(ctx))
    return values.some(isUnfinished) ? finish(value, values, ctx) : call(value, values, ctx)
  }
}

/** Returns the value of an operand, or applies an operator to the operands before it. */
type Step = (ctx: Context, operands: unknown[]) => unknown

function compileExpression({ postfix }: Expression): Evaluate {
  const [only] = postfix
  if (postfix.length === 1 && only !== undefined) return compileToken(only)
  const steps = postfix.map((token): Step => {
    if (TypeGuards.isOperatorToken(token)) return compileOperator(token.operator)
    return compileToken(token)
  })
  return (ctx) => runSteps(steps, ctx, [], 0)
}

function runSteps(steps: readonly Step[], ctx: Context, operands: unknown[], from: number): unknown {
  for (let at = from; at < steps.length; at++) {
    const value = steps[at]?.(ctx, operands)
    if (isUnfinished(value)) return finishSteps(steps, ctx, operands, at, value)
    operands.push(value)
  }
  return operands[0]
}

function* finishSteps(steps: readonly Step[], ctx: Context, operands: unknown[], at: number, value: object): Rendering {
  operands.push(yield value)
  return yield runSteps(steps, ctx, operands, at + 1)
}

/** Compiles an operator. Handles primitive values here and leaves everything else to the library. */
function compileOperator(operator: string): Step {
  return (ctx, operands) => {
    const right = operands.pop()
    if (operator === 'not') return right instanceof Drop ? applyOperator(operator, ctx, right) : !isTruthy(right, ctx)
    const left = operands.pop()
    if (left instanceof Drop || right instanceof Drop) return applyOperator(operator, ctx, left, right)
    if (operator === 'and') return isTruthy(left, ctx) && isTruthy(right, ctx)
    if (operator === 'or') return isTruthy(left, ctx) || isTruthy(right, ctx)
    if (operator === '==' && !isObject(left) && !isObject(right)) return left === right
    if (operator === '!=' && !isObject(left) && !isObject(right)) return left !== right
    if (operator === '>' && typeof left === 'number' && typeof right === 'number') return left > right
    if (operator === 'contains' && typeof left === 'string' && typeof right === 'string') return left.includes(right)
    return applyOperator(operator, ctx, left, right)
  }
}

/** Returns whether a value can define its own equality. */
const isObject = (value: unknown): boolean =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'

function applyOperator(operator: string, ctx: Context, ...operands: readonly unknown[]): unknown {
  const handler = ctx.opts.operators[operator]
  return handler === undefined ? undefined : Reflect.apply(handler, ctx.opts.operators, [...operands, ctx])
}

/** Compiles a literal or a variable. */
export function compileToken(token: Token): Evaluate {
  if ('content' in token) {
    const { content } = token
    return () => content
  }
  if (TypeGuards.isPropertyAccessToken(token) && token.variable === undefined) {
    const path = token.props.map((prop) => ('content' in prop ? prop.content : null)).filter(isName)
    const [first, ...rest] = path
    if (first !== undefined && path.length === token.props.length) return compilePath(first, rest)
  }
  return (ctx) => evalToken(token, ctx)
}

const isName = (content: unknown): content is string | number =>
  typeof content === 'string' || typeof content === 'number'

function compilePath(variable: string | number, path: readonly (string | number)[]): Evaluate {
  return (ctx) => {
    const value = ctx instanceof PageContext ? ctx.readVariable(variable) : ctx.getSync([variable])
    return path.length === 0 ? value : readPath(value, path, 0, ctx)
  }
}

function readPath(root: unknown, path: readonly (string | number)[], from: number, ctx: Context): unknown {
  let value = root
  for (let at = from; at < path.length; at++) {
    if (isUnfinished(value)) return finishPath(value, path, at, ctx)
    value = ctx.readProperty(value as Scope, path[at] ?? '') // takes any value
  }
  return value
}

function* finishPath(value: object, path: readonly (string | number)[], at: number, ctx: Context): Rendering {
  return yield readPath(yield value, path, at, ctx)
}
