import type { Context, Emitter, Liquid, Parser, TagToken, Template, TopLevelToken } from 'liquidjs'
import type { DirectRender } from './direct-render.ts'
import type { LiquidLibrary } from './library.ts'
import { Markup } from './markup.ts'
import { evaluateNamed, readArguments, type TagArguments } from './tag-arguments.ts'
import type { TemplateFiles } from './template-files.ts'
import { stateOf } from './render-state.ts'

/** Slots by name; only those that hold something. */
type Slots = Record<string, Markup>

/** Register: where `slot` puts what it holds, inside of the body of an element. */
const FILLING = 'gatepost_slots_filling'
/** Register: what `slot` shows, inside of the template of an element. */
const FILLED = 'gatepost_slots_filled'

/** Everything up to the closing tag, parsed. @throws {Error} when there is none */
export function parseBody(token: TagToken, remaining: TopLevelToken[], parser: Parser, end: string): Template[] {
  const templates: Template[] = []
  for (let next = remaining.shift(); next !== undefined; next = remaining.shift()) {
    if ('name' in next && next.name === end) return templates
    templates.push(parser.parseToken(next, remaining))
  }
  throw new Error(`tag ${token.getText()} not closed`)
}

/** `element` and `slot` (6.5.1 of the reference): see the package's `templates/README.md`. */
export function registerSlotTags(
  library: LiquidLibrary,
  liquid: Liquid,
  direct: DirectRender,
  files: TemplateFiles,
): void {
  liquid.registerTag('element', elementTag(library, direct, files))
  liquid.registerTag('slot', slotTag(library, direct))
}

const elementTag = (library: LiquidLibrary, direct: DirectRender, files: TemplateFiles) =>
  class extends library.Tag {
    readonly element: string
    readonly args: TagArguments
    readonly body: Template[]
    readonly origin: string

    constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid, parser: Parser) {
      super(token, remaining, liquid)
      this.element = token.tokenizer.readNonEmptyIdentifier()?.content ?? ''
      token.tokenizer.assert(this.element, 'expected the name of an element')
      this.args = readArguments(direct.values, token, 0)
      this.origin = files.nameOf(token.file)
      this.body = this.args.closed ? [] : parseBody(token, remaining, parser, 'endelement')
    }

    render(ctx: Context, emitter: Emitter): void {
      const attrs = evaluateNamed(this.args.named, ctx)
      if (typeof attrs['tags'] === 'string') attrs['tags'] = splitTags(attrs['tags'])
      const slots = this.fill(ctx)
      const template = files.parsed(this.nameFor(ctx), this.liquid)
      const inner = ctx.spawn({ attrs, slots, origin: this.origin })
      inner.setRegister(FILLED, slots)
      direct.write(template, inner, emitter)
    }

    /** Renders the body in the place where it stands. Blank slots count as not given. */
    fill(ctx: Context): Slots {
      const slots: Slots = {}
      if (this.body.length === 0) return slots
      const outer: unknown = ctx.getRegister(FILLING)
      ctx.setRegister(FILLING, slots)
      const html = direct.html(this.body, ctx)
      ctx.setRegister(FILLING, outer)
      if (html.trim() !== '') slots['default'] = new Markup(html)
      return slots
    }

    /** Of the variant for the layout that the page extends, if there is one. */
    nameFor(ctx: Context): string {
      const { layout, values } = stateOf(ctx)
      const extended = layout ?? values['page_layout']
      const special = `elements/${this.element}__${String(extended)}`
      return typeof extended === 'string' && files.find(special) !== null ? special : `elements/${this.element}`
    }
  }

const slotTag = (library: LiquidLibrary, direct: DirectRender) =>
  class extends library.Tag {
    readonly slot: string
    readonly body: Template[]

    constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid, parser: Parser) {
      super(token, remaining, liquid)
      this.slot = token.tokenizer.readNonEmptyIdentifier()?.content ?? 'default'
      const { named, closed } = readArguments(direct.values, token, 0)
      token.tokenizer.assert(named.size === 0, 'a slot has only a name')
      this.body = closed ? [] : parseBody(token, remaining, parser, 'endslot')
    }

    render(ctx: Context, emitter: Emitter): void {
      const filling = ctx.getRegister<Slots | undefined>(FILLING)
      const filled = ctx.getRegister<Slots | undefined>(FILLED)
      // The body is the default slot already: there, `slot` without a name shows what the element around was given.
      if (filling && this.slot !== 'default') {
        ctx.setRegister(FILLING, undefined)
        const html = direct.html(this.body, ctx)
        ctx.setRegister(FILLING, filling)
        if (html.trim() !== '') filling[this.slot] = new Markup(html)
        return
      }
      if (!filled && !filling) throw new Error('a slot stands neither in the body nor in the template of an element')
      const given = filled?.[this.slot]
      if (given) emitter.write(given.html)
      else direct.write(this.body, ctx, emitter)
    }
  }

const splitTags = (text: string): readonly string[] =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
