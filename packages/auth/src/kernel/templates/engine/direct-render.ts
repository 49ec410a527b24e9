import type { Context, Emitter, Liquid, Template, Value } from 'liquidjs'
import { type DirectValues, directValues, type Read } from './direct-values.ts'
import type { LiquidLibrary } from './library.ts'
import { toText } from './markup.ts'
import { Pending } from './render-state.ts'

/** Renders parsed templates at once, without generators and promises of its own. */
export interface DirectRender {
  readonly values: DirectValues
  /** Collects text. */
  emitter(): Emitter
  write(templates: Template[], ctx: Context, emitter: Emitter): void
  /** What the templates write. */
  html(templates: Template[], ctx: Context): string
}

type Step = (ctx: Context, emitter: Emitter) => void
type Steps = (templates: Template[]) => Step

/** Takes the place of the renderer of `liquid`, also for the library's own tags. */
export function directRender(library: LiquidLibrary, liquid: Liquid): DirectRender {
  const values = directValues(library)
  const known = new WeakMap<Template[], readonly Step[]>()
  const write: DirectRender['write'] = (templates, ctx, emitter) => {
    ctx.renderLimit.check(performance.now())
    let steps = known.get(templates)
    if (steps === undefined) {
      steps = templates.map((template) => stepOf(library, values, all, template))
      known.set(templates, steps)
    }
    let at = 0
    try {
      for (; at < steps.length; at += 1) {
        steps[at]?.(ctx, emitter)
        if (ctx.breakCalled || ctx.continueCalled) return
      }
    } catch (error) {
      throw located(library, error, templates[at])
    }
  }
  const all: Steps = (templates) => (ctx, emitter) => write(templates, ctx, emitter)
  const html: DirectRender['html'] = (templates, ctx) => {
    const emitter = textEmitter()
    write(templates, ctx, emitter)
    return emitter.buffer
  }
  Object.assign(liquid.renderer, {
    renderTemplates(templates: Template[], ctx: Context, emitter: Emitter = textEmitter()) {
      write(templates, ctx, emitter)
      return emitter.buffer
    },
  })
  return { values, emitter: textEmitter, write, html }
}

const textEmitter = (): Emitter => ({
  buffer: '',
  write(html: unknown) {
    this.buffer += typeof html === 'string' ? html : toText(html)
  },
})

/** The error with file and line. */
function located(library: LiquidLibrary, error: unknown, template: Template | undefined): unknown {
  const isLocated = error instanceof Pending || library.LiquidError.is(error)
  if (isLocated || template === undefined) return error
  return new library.RenderError(error instanceof Error ? error : new Error(String(error)), template)
}

/** What the library keeps of `assign` to itself. */
interface Assignment {
  readonly key: string
  readonly value: Value
}

function stepOf(library: LiquidLibrary, values: DirectValues, all: Steps, template: Template): Step {
  const { token } = template
  if (library.TypeGuards.isHTMLToken(token)) {
    const text = token.getContent()
    return (_ctx, emitter) => emitter.write(text)
  }
  if (template instanceof library.Output) {
    const read = values.value(template.value)
    return (ctx, emitter) => emitter.write(library.toValue(read(ctx)))
  }
  if (template instanceof library.IfTag || template instanceof library.UnlessTag) {
    const isUnless = template instanceof library.UnlessTag
    const branches = template.branches.map(({ value, templates }, at) => {
      const read = values.value(value)
      const wanted = !isUnless || at > 0
      return { holds: (ctx: Context) => library.isTruthy(read(ctx), ctx) === wanted, body: all(templates) }
    })
    const otherwise = all(template.elseTemplates ?? [])
    return (ctx, emitter) => (branches.find(({ holds }) => holds(ctx))?.body ?? otherwise)(ctx, emitter)
  }
  if (template instanceof library.AssignTag) {
    const { key, value } = template as unknown as Assignment // private there
    const read = values.value(value)
    return (ctx) => void Object.assign(ctx.bottom(), { [key]: read(ctx) })
  }
  const general: Step = (ctx, emitter) => {
    const written: unknown = library.toValueSync(template.render(ctx, emitter) as Iterator<unknown>) // or a plain value
    if (written !== undefined && written !== null) emitter.write(written)
  }
  if (template instanceof library.ForTag && library.TypeGuards.isPropertyAccessToken(template.collection)) {
    return unlessEmpty(values.argument(template.collection), all(template.elseTemplates), general)
  }
  return general
}

/** Most loops of a page have nothing to go through. */
const unlessEmpty =
  (read: Read, otherwise: Step, loop: Step): Step =>
  (ctx, emitter) => {
    const items = read(ctx)
    const isEmpty = items === undefined || items === null || (Array.isArray(items) && items.length === 0)
    if (isEmpty) otherwise(ctx, emitter)
    else loop(ctx, emitter)
  }
