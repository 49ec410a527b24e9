import type { Context, Emitter, Liquid, Parser, TagToken, Template, TopLevelToken } from 'liquidjs'
import type { DirectRender } from './direct-render.ts'
import type { LiquidLibrary } from './library.ts'
import { Markup, type OutputKind, toText } from './markup.ts'
import { parseBody } from './slot-tags.ts'
import { evaluateNamed, readArguments, type TagArguments } from './tag-arguments.ts'
import { hostValues, type HostValue } from './host-values.ts'
import { stateOf } from './render-state.ts'
import { translate } from './translated-text.ts'

/** `t`, `setvar`, and the tags that ask the page's functions. */
export function registerValueTags(
  library: LiquidLibrary,
  liquid: Liquid,
  direct: DirectRender,
  output: OutputKind,
): void {
  liquid.registerTag('t', translateTag(library, direct, output))
  liquid.registerTag('setvar', captureTag(library, direct, output, 'endsetvar'))
  liquid.registerTag('capture', captureTag(library, direct, output, 'endcapture'))
  for (const [name, value] of Object.entries(hostValues))
    liquid.registerTag(name, hostTag(library, direct, output, value))
}

const translateTag = (library: LiquidLibrary, direct: DirectRender, output: OutputKind) =>
  class extends library.Tag {
    readonly args: TagArguments

    constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid) {
      super(token, remaining, liquid)
      this.args = readArguments(direct.values, token, 1)
      token.tokenizer.assert(this.args.positional.length === 1, 'expected a text to translate')
    }

    render(ctx: Context, emitter: Emitter): void {
      const key = toText(this.args.positional[0]?.(ctx))
      const { values, ...named } = evaluateNamed(this.args.named, ctx)
      const text = translate(stateOf(ctx).t, key, { ...(isRecord(values) ? values : {}), ...named }, output)
      if (this.args.variable === null) emitter.write(output.write(text))
      else assign(ctx, this.args.variable, text)
    }
  }

const captureTag = (library: LiquidLibrary, direct: DirectRender, output: OutputKind, end: string) =>
  class extends library.Tag {
    readonly variable: string
    readonly body: Template[]

    constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid, parser: Parser) {
      super(token, remaining, liquid)
      this.variable = token.tokenizer.readNonEmptyIdentifier()?.content ?? ''
      token.tokenizer.assert(this.variable, 'expected the name of a variable')
      this.body = parseBody(token, remaining, parser, end)
    }

    render(ctx: Context): void {
      const html = direct.html(this.body, ctx).trim()
      assign(ctx, this.variable, html === '' ? '' : output.finished(html))
    }
  }

const hostTag = (library: LiquidLibrary, direct: DirectRender, output: OutputKind, value: HostValue) =>
  class extends library.Tag {
    readonly args: TagArguments

    constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid) {
      super(token, remaining, liquid)
      this.args = readArguments(direct.values, token, value.positional)
      const enough = this.args.positional.length === value.positional
      token.tokenizer.assert(enough, `expected ${value.positional} value`)
    }

    render(ctx: Context, emitter: Emitter): void {
      const subject = this.args.positional[0]?.(ctx)
      const named = evaluateNamed(this.args.named, ctx)
      const answer = value.read(ctx, subject, named, this.args.variable !== null)
      if (this.args.variable === null) emitter.write(output.write(answer))
      else assign(ctx, this.args.variable, answer)
    }
  }

/** As the library's `assign`: seen by the rest of the template. */
function assign(ctx: Context, variable: string, value: unknown): void {
  Object.assign(ctx.bottom(), { [variable]: value })
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Markup)
