import {
  type Context,
  type Emitter,
  ForTag,
  IfTag,
  isTruthy,
  type Liquid,
  type Parser,
  Tag,
  type TagToken,
  type Template,
  type TopLevelToken,
  TypeGuards,
  UnlessTag,
  Value,
} from 'liquidjs'
import { type Body, compileBody } from './body.ts'
import { compileToken, compileValue, type Evaluate } from './expressions.ts'
import type { OutputFormat } from './markup.ts'
import { isUnfinished, type Rendering } from './render-state.ts'

/** Registers `if`, `unless`, `for` and `assign` as in LiquidJS, with compiled expressions and bodies. */
export function registerControlTags(liquid: Liquid, output: OutputFormat): void {
  liquid.registerTag('if', conditionTag(IfTag, output))
  liquid.registerTag('unless', conditionTag(UnlessTag, output))
  liquid.registerTag('for', forTag(output))
  liquid.registerTag('assign', CompiledAssignTag)
}

interface Branch {
  readonly read: Evaluate
  readonly holds: (value: unknown, ctx: Context) => boolean
  readonly body: Body
}

/** The parsed branches of the library's `if` and `unless`. */
interface Condition extends Tag {
  readonly branches: readonly {
    readonly value: Value
    readonly test?: (value: unknown, ctx: Context) => boolean
    readonly templates: readonly Template[]
  }[]
  readonly elseTemplates: readonly Template[] | undefined
}

type ConditionClass = new (token: TagToken, remaining: TopLevelToken[], liquid: Liquid, parser: Parser) => Condition

const conditionTag = (Library: ConditionClass, output: OutputFormat) =>
  class extends Tag {
    readonly branches: readonly Branch[]
    readonly otherwise: Body

    constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid, parser: Parser) {
      super(token, remaining, liquid)
      const { branches, elseTemplates = [] } = new Library(token, remaining, liquid, parser)
      this.branches = branches.map(({ value, test = isTruthy, templates }) => ({
        read: compileValue(value),
        holds: test,
        body: compileBody(templates, output),
      }))
      this.otherwise = compileBody(elseTemplates, output)
    }

    render(ctx: Context, emitter: Emitter): Rendering<void> | undefined {
      for (const [at, { read, holds, body }] of this.branches.entries()) {
        const value = read(ctx)
        if (isUnfinished(value)) return this.finish(at, value, ctx, emitter)
        if (holds(value, ctx)) return body.render(ctx, emitter)
      }
      return this.otherwise.render(ctx, emitter)
    }

    *finish(from: number, first: object, ctx: Context, emitter: Emitter): Rendering<void> {
      let unfinished: unknown = first
      for (const { read, holds, body } of this.branches.slice(from)) {
        const value = yield unfinished ?? read(ctx)
        unfinished = undefined
        if (holds(value, ctx)) {
          yield body.render(ctx, emitter)
          return
        }
      }
      yield this.otherwise.render(ctx, emitter)
    }
  }

/** The library's `for`. It returns at once for an empty list. */
const forTag = (output: OutputFormat) =>
  class extends ForTag {
    readonly read = compileToken(this.collection)

    constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid, parser: Parser) {
      super(token, remaining, liquid, parser)
      const body = compileBody(this.templates, output)
      this.templates = [{ token, render: (ctx, emitter) => body.render(ctx, emitter) }]
    }

    override *render(ctx: Context, emitter: Emitter): Generator<unknown, void | string, Template[]> {
      if (this.elseTemplates.length === 0 && TypeGuards.isPropertyAccessToken(this.collection)) {
        const items = this.read(ctx)
        if (items === undefined || items === null || (Array.isArray(items) && items.length === 0)) return
      }
      return yield* super.render(ctx, emitter)
    }
  }

class CompiledAssignTag extends Tag {
  readonly variable: string
  readonly read: Evaluate

  constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid) {
    super(token, remaining, liquid)
    const { tokenizer } = token
    this.variable = tokenizer.readIdentifier().content
    tokenizer.assert(this.variable, 'expected variable name')
    tokenizer.skipBlank()
    tokenizer.assert(tokenizer.peek() === '=', 'expected "="')
    tokenizer.advance()
    this.read = compileValue(new Value(tokenizer.readFilteredValue(), liquid))
  }

  render(ctx: Context): Rendering<void> | undefined {
    const value = this.read(ctx)
    if (isUnfinished(value)) return this.finish(value, ctx)
    assignVariable(ctx, this.variable, value)
    return undefined
  }

  *finish(unfinished: object, ctx: Context): Rendering<void> {
    assignVariable(ctx, this.variable, yield unfinished)
  }
}

/** Sets a variable that the rest of the template sees. */
export function assignVariable(ctx: Context, variable: string, value: unknown): void {
  const scope: Record<string, unknown> = ctx.bottom()
  scope[variable] = value
}
