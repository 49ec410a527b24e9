import type { Context, Emitter, Hash, Liquid, Template } from 'liquidjs'
import type { DirectRender } from './direct-render.ts'
import type { LiquidLibrary } from './library.ts'
import { stateOf } from './render-state.ts'
import type { TemplateFiles } from './template-files.ts'

/** Registers and their values are the library's, whose `include` keeps them apart for each part. */
const MODE = 'blockMode'
const OUTPUT = 0
const STORE = 1
const BLOCKS = 'blocks'
const STACK = 'blockStack'

/** A tag's own `render`: the library takes a plain function, and declares a generator. */
const NOTHING = undefined as never

type RenderBlock = (above: object, emitter: Emitter) => void

/** Variables and nothing else. */
const scope = (values: object): object => Object.assign<object, object>(Object.create(null) as object, values) // it is any

/** What the library keeps of `layout` to itself. */
interface LayoutParts {
  readonly file: unknown
  readonly args: Hash
  readonly templates: Template[]
}

/**
 * `layout` and `block` as the library has them. Its own make a generator function for each block of each page, which
 * only a full garbage collection frees, with everything that the page was made from.
 */
export function registerBlockTags(
  library: LiquidLibrary,
  liquid: Liquid,
  direct: DirectRender,
  files: TemplateFiles,
): void {
  liquid.registerTag('layout', layoutTag(library, direct, files))
  liquid.registerTag('block', blockTag(library, direct))
}

const layoutTag = (library: LiquidLibrary, direct: DirectRender, files: TemplateFiles) =>
  class extends library.LayoutTag {
    override render(ctx: Context, emitter: Emitter): never {
      const { file, args, templates } = this as unknown as LayoutParts // private there
      if (typeof file !== 'string') {
        library.toValueSync(super.render(ctx, emitter))
        return NOTHING
      }
      const state = stateOf(ctx)
      if (file.startsWith('layouts/')) state.layout ??= file.slice('layouts/'.length)
      ctx.setRegister(MODE, STORE)
      const html = direct.html(templates, ctx)
      const blocks = ctx.getRegister<Record<string, RenderBlock>>(BLOCKS, {})
      blocks[''] ??= (_above, into) => into.write(html)
      ctx.setRegister(MODE, OUTPUT)
      ctx.push(scope(library.toValueSync(args.render(ctx))))
      direct.write(files.parsed(file, this.liquid), ctx, emitter)
      ctx.pop()
      return NOTHING
    }
  }

function blockTag(library: LiquidLibrary, direct: DirectRender) {
  /** `block` within a block: what it replaces. */
  class Above extends library.Drop {
    readonly #render: (emitter: Emitter) => void
    constructor(render: (emitter: Emitter) => void) {
      super()
      this.#render = render
    }
    super(): string {
      const emitter = direct.emitter()
      this.#render(emitter)
      return emitter.buffer
    }
  }
  return class extends library.BlockTag {
    override render(ctx: Context, emitter: Emitter): never {
      const blocks = ctx.getRegister<Record<string, RenderBlock>>(BLOCKS, {})
      const lower = blocks[this.block]
      const own: RenderBlock = (above, into) => this.own(ctx, above, into)
      const render: RenderBlock =
        lower === undefined ? own : (above, into) => lower(new Above((under) => own(above, under)), into)
      if (ctx.getRegister(MODE) === STORE) blocks[this.block] = render
      else render(new Above(() => {}), emitter)
      return NOTHING
    }

    own(ctx: Context, above: object, emitter: Emitter): void {
      const stack = ctx.getRegister<object[]>(STACK, [])
      if (stack.includes(this)) throw new Error('block tag cannot be nested')
      stack.push(this)
      ctx.push(scope({ block: above }))
      direct.write(this.templates, ctx, emitter)
      ctx.pop()
      stack.pop()
    }
  }
}
