import {
  type Context,
  type Emitter,
  LiquidError,
  Output,
  RenderError,
  type Template,
  toValue,
  TypeGuards,
} from 'liquidjs'
import { compileValue } from './expressions.ts'
import type { OutputFormat } from './markup.ts'
import { createEmitter, isUnfinished, type Rendering } from './render-state.ts'

/** The compiled content of a tag or of a file. */
export interface Body {
  /**
   * Renders into `emitter`.
   * @returns `undefined` when done, or a generator that renders the rest, which the caller yields
   * @throws {LiquidError} with file and line
   */
  render(ctx: Context, emitter: Emitter): Rendering<void> | undefined
}

/** Renders one template. Its result is yielded if it's unfinished, and written if it's a text. */
type Step = (ctx: Context, emitter: Emitter) => unknown

/** Compiles the templates that a parser returned. */
export function compileBody(templates: readonly Template[], output: OutputFormat): Body {
  const steps = templates.map((template) => compileStep(template, output))
  return { render: (ctx, emitter) => renderSteps(steps, templates, ctx, emitter) }
}

/** Renders a body to text. */
export function* renderBody(body: Body, ctx: Context): Rendering<string> {
  const emitter = createEmitter()
  const rest = body.render(ctx, emitter)
  if (rest) yield rest
  return emitter.buffer
}

function compileStep(template: Template, output: OutputFormat): Step {
  const { token } = template
  if (TypeGuards.isHTMLToken(token)) {
    const text = token.getContent()
    return (_ctx, emitter) => emitter.write(text)
  }
  if (template instanceof Output) return compileOutput(template, output)
  return (ctx, emitter): unknown => template.render(ctx, emitter)
}

/** Compiles `{{ }}`. To escape, the library appends a filter, unless the last one is `raw`. */
function compileOutput({ value: { initial, filters } }: Output, output: OutputFormat): Step {
  const isRaw = filters.at(-1)?.raw === true
  const read = compileValue({ initial, filters: isRaw ? filters : filters.slice(0, -1) })
  const write = (value: unknown, emitter: Emitter): void => emitter.write(isRaw ? value : output.write(value))
  function* finish(unfinished: object, emitter: Emitter): Rendering<void> {
    write(yield toValue(yield unfinished), emitter)
  }
  return (ctx, emitter) => {
    const value: unknown = toValue(read(ctx))
    return isUnfinished(value) ? finish(value, emitter) : write(value, emitter)
  }
}

function renderSteps(
  steps: readonly Step[],
  templates: readonly Template[],
  ctx: Context,
  emitter: Emitter,
): Rendering<void> | undefined {
  if (steps.length > 1) ctx.renderLimit.check(performance.now())
  let at = 0
  try {
    for (; at < steps.length; at++) {
      const result = steps[at]?.(ctx, emitter)
      if (isUnfinished(result)) return finishSteps(steps, templates, at, result, ctx, emitter)
      if (typeof result === 'string') emitter.write(result)
      if (ctx.breakCalled || ctx.continueCalled) return undefined
    }
  } catch (error) {
    throw locateError(error, templates[at])
  }
  return undefined
}

/** Renders the rest of a body, from its first unfinished step. */
function* finishSteps(
  steps: readonly Step[],
  templates: readonly Template[],
  from: number,
  first: object,
  ctx: Context,
  emitter: Emitter,
): Rendering<void> {
  let at = from
  try {
    for (let result: unknown = first; ; result = steps[at]?.(ctx, emitter)) {
      const written = isUnfinished(result) ? yield result : result
      if (typeof written === 'string') emitter.write(written)
      at += 1
      if (at === steps.length || ctx.breakCalled || ctx.continueCalled) return
    }
  } catch (error) {
    throw locateError(error, templates[at])
  }
}

const locateError = (error: unknown, template: Template | undefined): unknown =>
  LiquidError.is(error) || template === undefined
    ? error
    : new RenderError(error instanceof Error ? error : new Error(String(error)), template)
