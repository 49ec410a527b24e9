import {
  BlockTag,
  type Context,
  Drop,
  type Emitter,
  LayoutTag,
  type Liquid,
  type Parser,
  Tag,
  type TagToken,
  type TopLevelToken,
} from 'liquidjs'
import { type Body, compileBody, renderBody } from './body.ts'
import { PageContext } from './expressions.ts'
import { Markup, type OutputFormat } from './markup.ts'
import { createEmitter, getRenderState, type Rendering, isUnfinished, watchGlobals } from './render-state.ts'
import { evaluateNamed, parseArguments, parseBody, type TagArguments } from './tag-parser.ts'
import type { TemplateFiles } from './template-files.ts'
import type { Translate } from './translations.ts'

/** Slots by name, without those that are blank. */
type Slots = Record<string, Markup>

/** Register: where `slot` stores its content inside an element's body. */
const SLOTS_TO_FILL = 'gatepost_slots_to_fill'
/** Register: what `slot` renders inside an element's template. */
const FILLED_SLOTS = 'gatepost_filled_slots'

/**
 * Registers `element`, `slot`, `cache` and `layout`; see the reference, section 6.5.1, and the package's
 * `templates/README.md`.
 */
export function registerElementTags(liquid: Liquid, files: TemplateFiles, output: OutputFormat): void {
  liquid.registerTag('element', elementTag(files, output))
  liquid.registerTag('slot', slotTag(output))
  liquid.registerTag('cache', cacheTag(output))
  liquid.registerTag('layout', RecordedLayoutTag)
  liquid.registerTag('block', blockTag(output))
}

/** The library's `layout`, which records what the page extends. */
class RecordedLayoutTag extends LayoutTag {
  override *render(ctx: Context, emitter: Emitter): Rendering {
    const name = this.partialScope()?.name
    if (name?.startsWith('layouts/') === true) getRenderState(ctx).layout ??= name.slice('layouts/'.length)
    return yield super.render(ctx, emitter)
  }
}

type RenderBlock = (parent: ParentBlock, emitter: Emitter) => unknown

/** The variable `block` inside a block; `block.super` renders the replaced block. */
class ParentBlock extends Drop {
  readonly #render: ((emitter: Emitter) => unknown) | null
  constructor(render: ((emitter: Emitter) => unknown) | null) {
    super()
    this.#render = render
  }
  *super(): Rendering<string> {
    const emitter = createEmitter()
    if (this.#render) yield this.#render(emitter)
    return emitter.buffer
  }
}

/**
 * The library's `block`, without a new generator function for each block of each page: those stay in memory until a
 * full garbage collection, together with the page's context. Uses the same registers as `layout` and `include`.
 */
const blockTag = (output: OutputFormat) =>
  class extends BlockTag {
    readonly body = compileBody(this.templates, output)

    override *render(ctx: Context, emitter: Emitter): Rendering<void> {
      const blocks = ctx.getRegister<Record<string, RenderBlock>>('blocks', {})
      const child = blocks[this.block]
      const own: RenderBlock = (parent, into) => this.renderBody(ctx, parent, into)
      const render: RenderBlock =
        child === undefined ? own : (parent, into) => child(new ParentBlock((replaced) => own(parent, replaced)), into)
      if (ctx.getRegister('blockMode') === STORE_BLOCKS) blocks[this.block] = render
      else yield render(new ParentBlock(null), emitter)
    }

    *renderBody(ctx: Context, parent: ParentBlock, emitter: Emitter): Rendering<void> {
      const open = ctx.getRegister<object[]>('blockStack', [])
      if (open.includes(this)) throw new Error('block tag cannot be nested')
      open.push(this)
      ctx.push({ __proto__: null, block: parent })
      yield this.body.render(ctx, emitter)
      ctx.pop()
      open.pop()
    }
  }

/** Value of the register `blockMode` while a page that extends a layout defines its blocks. */
const STORE_BLOCKS = 1

const elementTag = (files: TemplateFiles, output: OutputFormat) =>
  class extends Tag {
    readonly element: string
    readonly args: TagArguments
    readonly body: Body | null
    readonly origin: string

    constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid, parser: Parser) {
      super(token, remaining, liquid)
      this.element = token.tokenizer.readNonEmptyIdentifier()?.content ?? ''
      token.tokenizer.assert(this.element, 'expected an element name')
      this.args = parseArguments(token, 0)
      this.origin = files.templateName(token.file)
      this.body = this.args.isClosed ? null : compileBody(parseBody(token, remaining, parser, 'endelement'), output)
    }

    *render(ctx: Context, emitter: Emitter): Rendering<void> {
      const attrs: Record<string, unknown> = {}
      for (const [name, read] of this.args.named) {
        const value = read(ctx)
        attrs[name] = isUnfinished(value) ? yield value : value
      }
      if (typeof attrs['tags'] === 'string') attrs['tags'] = splitTags(attrs['tags'])
      const slots = yield* this.renderSlots(ctx)
      const inner = ctx.spawn({ attrs, slots, origin: this.origin })
      inner.setRegister(FILLED_SLOTS, slots)
      const template = files.load(this.findTemplate(ctx), (name) =>
        compileBody(this.liquid.parseFileSync(name), output),
      )
      const rest = template.render(inner, emitter)
      if (rest) yield rest
    }

    /** Renders the element's body and returns its slots. A blank slot counts as missing. */
    *renderSlots(ctx: Context): Rendering<Slots> {
      const slots: Slots = {}
      if (this.body === null) return slots
      const outer: unknown = ctx.getRegister(SLOTS_TO_FILL)
      ctx.setRegister(SLOTS_TO_FILL, slots)
      const html = yield* renderBody(this.body, ctx)
      ctx.setRegister(SLOTS_TO_FILL, outer)
      if (html.trim() !== '') slots['default'] = new Markup(html)
      return slots
    }

    /** Returns the variant for the layout that the page extends, if there is one. */
    findTemplate(ctx: Context): string {
      const { layout, fallbackLayout } = getRenderState(ctx)
      const extended = layout ?? fallbackLayout
      const variant = `elements/${this.element}__${extended}`
      return extended !== null && files.find(variant) !== null ? variant : `elements/${this.element}`
    }
  }

const slotTag = (output: OutputFormat) =>
  class extends Tag {
    readonly slot: string
    readonly body: Body

    constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid, parser: Parser) {
      super(token, remaining, liquid)
      this.slot = token.tokenizer.readNonEmptyIdentifier()?.content ?? 'default'
      const { named, isClosed } = parseArguments(token, 0)
      token.tokenizer.assert(named.length === 0, 'a slot has only a name')
      this.body = compileBody(isClosed ? [] : parseBody(token, remaining, parser, 'endslot'), output)
    }

    render(ctx: Context, emitter: Emitter): Rendering<void> | undefined {
      const toFill = ctx.getRegister<Slots | undefined>(SLOTS_TO_FILL)
      // The body itself is the default slot, so `slot` without a name renders the slot of the surrounding element.
      if (toFill && this.slot !== 'default') return this.fill(toFill, ctx)
      const filled = ctx.getRegister<Slots | undefined>(FILLED_SLOTS)
      if (!filled && !toFill) throw new Error('a slot must be in the body or the template of an element')
      const given = filled?.[this.slot]
      if (!given) return this.body.render(ctx, emitter)
      emitter.write(given.html)
      return undefined
    }

    *fill(toFill: Slots, ctx: Context): Rendering<void> {
      ctx.setRegister(SLOTS_TO_FILL, undefined)
      const html = yield* renderBody(this.body, ctx)
      ctx.setRegister(SLOTS_TO_FILL, toFill)
      if (html.trim() !== '') toFill[this.slot] = new Markup(html)
    }
  }

const splitTags = (text: string): readonly string[] =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')

/** The number of fragments that a `cache` tag keeps, and the maximum key length in characters. */
const CACHE_LIMITS = { fragments: 200, keyLength: 10_000 }

/**
 * `cache name=value … unless=condition`: renders its body once per combination of values, language, and layout. The
 * body is rendered every time if it reads anything else from the page's context, or if a value isn't plain data.
 */
const cacheTag = (output: OutputFormat) =>
  class extends Tag {
    readonly args: TagArguments
    readonly body: Body
    readonly fragments = new WeakMap<Translate, Map<string, string>>()

    constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid, parser: Parser) {
      super(token, remaining, liquid)
      this.args = parseArguments(token, 0)
      this.body = compileBody(parseBody(token, remaining, parser, 'endcache'), output)
    }

    *render(ctx: Context, emitter: Emitter): Rendering<void> {
      const { unless, ...values } = yield* evaluateNamed(this.args.named, ctx)
      const { t, layout, fallbackLayout } = getRenderState(ctx)
      const key = unless ? null : toCacheKey([layout ?? fallbackLayout, values])
      if (key === null) {
        yield this.body.render(ctx.spawn(values), emitter)
        return
      }
      const fragments = this.fragments.get(t) ?? new Map<string, string>()
      this.fragments.set(t, fragments)
      const known = fragments.get(key)
      if (known !== undefined) {
        emitter.write(known)
        return
      }
      let hasReadMore = false
      const globals = watchGlobals(ctx.globals, () => {
        hasReadMore = true
      })
      const { opts, sync, memoryLimit, renderLimit } = ctx
      const inner = new PageContext(values, opts, { globals, sync }, { memoryLimit, renderLimit, liquid: this.liquid })
      const html = yield* renderBody(this.body, inner)
      emitter.write(html)
      if (hasReadMore) return
      if (fragments.size >= CACHE_LIMITS.fragments) fragments.clear()
      fragments.set(key, html)
    }
  }

/**
 * Returns a cache key that's the same for equal values, or `null` if a value isn't plain data or the key would be too
 * long.
 */
function toCacheKey(value: unknown): string | null {
  if (!isData(value)) return null
  const key = JSON.stringify(value)
  return key.length > CACHE_LIMITS.keyLength ? null : key
}

function isData(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return !['function', 'symbol', 'bigint'].includes(typeof value)
  if (Array.isArray(value)) return value.every(isData)
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isData)
}
