import { type Context, Liquid } from 'liquidjs'
import { compileBody, renderBody } from './body.ts'
import { registerControlTags } from './control-tags.ts'
import { registerElementTags } from './element-tags.ts'
import { PageContext } from './expressions.ts'
import { Markup, type OutputFormat, toText, translateText, wrapText } from './markup.ts'
import { getRenderState, type Globals, runGenerator } from './render-state.ts'
import type { TemplateFiles } from './template-files.ts'
import { registerValueTags } from './value-tags.ts'

/** Renders templates of one kind: pages or text files. */
export interface LiquidEngine {
  /** Renders a template. @throws {Error} if it doesn't exist or has an error, with file and line */
  render(name: string, globals: Globals): Promise<string>
}

/**
 * Limits far above what any page needs, in characters, milliseconds, and units of memory. An endless loop in a template
 * throws an error instead of blocking the process.
 */
const LIMITS = { parseLimit: 2_000_000, renderLimit: 5_000, memoryLimit: 50_000_000 }

/**
 * Creates a LiquidJS engine with the tags and filters of the pages.
 * @param reload Whether to read and parse the files for every rendering.
 */
export function createLiquidEngine(files: TemplateFiles, output: OutputFormat, reload: boolean): LiquidEngine {
  const liquid = new Liquid({
    ...LIMITS,
    root: [...files.folders],
    extname: `.${files.extension}`,
    fs: files.fs,
    relativeReference: false,
    cache: !reload,
    strictFilters: true,
    ownPropertyOnly: true,
    jsTruthy: true,
    groupedExpressions: true,
    outputEscape: output.write,
  })
  registerControlTags(liquid, output)
  registerElementTags(liquid, files, output)
  registerValueTags(liquid, output)
  registerFilters(liquid, output)
  const load = (name: string) => files.load(name, () => compileBody(liquid.parseFileSync(name), output))
  return {
    async render(name, globals) {
      const context = new PageContext({}, liquid.options, { globals, sync: true }, { liquid })
      return String(await runGenerator(renderBody(load(name), context)))
    },
  }
}

/** Schemes allowed in links. A URL without a scheme refers to this site. */
const LINK_SCHEME = /^(?:https?|mailto|tel):/i
// Browsers skip control characters and spaces before and within a scheme.
const ANY_SCHEME = /^[^/?#]*:/

const RIGHT_TO_LEFT = new Set(['ar', 'ckb', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi'])

/** Registers the filters that Liquid lacks; see the package's `templates/README.md`. */
function registerFilters(liquid: Liquid, output: OutputFormat): void {
  liquid.registerFilter('t', function (key: unknown, ...args: readonly unknown[]) {
    return translateText(getRenderState(this.context).t, toText(key), collectValues(args), output)
  })
  liquid.registerFilter('error_text', function (error: unknown) {
    return translateError(this.context, error, output)
  })
  liquid.registerFilter('has_errors', hasErrors)
  liquid.registerFilter('has_input', hasInput)
  liquid.registerFilter('attributes', (attrs: unknown, names: unknown) => writeAttributes(attrs, toText(names), output))
  liquid.registerFilter('tag_classes', (tags: unknown) =>
    Array.isArray(tags) ? tags.map((tag) => ` is-${toText(tag)}`).join('') : '',
  )
  liquid.registerFilter('has', (list: unknown, item: unknown) => Array.isArray(list) && list.includes(item))
  liquid.registerFilter('href', toSafeAddress)
  liquid.registerFilter('image_source', (value: unknown) =>
    /^data:image\//i.test(toText(value)) ? value : toSafeAddress(value),
  )
  liquid.registerFilter('json_script', (value: unknown) => new Markup(toScriptJson(value)))
  liquid.registerFilter('wrap', (text: unknown, columns: unknown) => wrapText(toText(text), Number(columns)))
  liquid.registerFilter('direction', (language: unknown) =>
    RIGHT_TO_LEFT.has(toText(language).split('-', 1)[0] ?? '') ? 'rtl' : 'ltr',
  )
}

/** Collects a filter's arguments into an object: `name: value` is passed as a pair, an object as is. */
function collectValues(args: readonly unknown[]): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const arg of args) {
    if (Array.isArray(arg)) values[toText(arg[0])] = arg[1]
    else if (typeof arg === 'object' && arg !== null) Object.assign(values, arg)
  }
  return values
}

/** Translates an `InputError`. A plain string is already translated. */
function translateError(ctx: Context, error: unknown, output: OutputFormat): Markup | string {
  if (typeof error !== 'object' || error === null || !('message' in error)) return toText(error)
  return translateText(
    getRenderState(ctx).t,
    toText(error.message),
    collectValues(['values' in error && error.values]),
    output,
  )
}

function hasErrors(form: unknown): boolean {
  if (typeof form !== 'object' || form === null) return false
  const own = 'errors' in form && Array.isArray(form.errors) && form.errors.length > 0
  return own || ('fields' in form && Array.isArray(form.fields) && form.fields.some(hasErrors))
}

/** Returns whether the form has an error or a field value, and so depends on the visitor. */
function hasInput(form: unknown): boolean {
  if (hasErrors(form)) return true
  if (typeof form !== 'object' || form === null || !('fields' in form) || !Array.isArray(form.fields)) return false
  return form.fields.some(
    (field: unknown) => typeof field === 'object' && field !== null && 'value' in field && Boolean(field.value),
  )
}

/** Attributes that are written without a value. @see HTML, 2.3.2 "Boolean attributes" */
const BOOLEAN_ATTRIBUTES = new Set(['autofocus', 'checked', 'disabled', 'readonly', 'required'])
/** Attributes with a URL. */
const ADDRESS_ATTRIBUTES = new Set(['action', 'href'])

/**
 * Writes the attributes that are set, each preceded by a space.
 * @param names Names separated by spaces; `name=text` sets a default.
 */
function writeAttributes(attrs: unknown, names: string, output: OutputFormat): Markup | string {
  const values = new Map<string, unknown>(Object.entries(Object(attrs) as object)) // an object in any case
  let html = ''
  for (const part of names.split(' ')) {
    const [name = '', fallback] = part.split('=', 2)
    const value = values.get(name) || fallback
    if (!value) continue
    html += ` ${name}`
    if (!BOOLEAN_ATTRIBUTES.has(name)) {
      html += `="${output.write(ADDRESS_ATTRIBUTES.has(name) ? toSafeAddress(value) : value)}"`
    }
  }
  return output.toValue(html)
}

/** Writes JSON that can't end the `script` element around it. @see HTML, 4.12.1.3 */
const toScriptJson = (value: unknown): string =>
  (JSON.stringify(value) ?? 'null').replaceAll(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Returns a URL for a link, or `#` if its scheme isn't allowed, such as `javascript:`. */
function toSafeAddress(value: unknown): Markup | string {
  const address = toText(value)
    .replace(/[\u0000-\u0020]+/g, (blanks) => (/^ +$/.test(blanks) ? blanks : ''))
    .trim()
  if (ANY_SCHEME.test(address) && !LINK_SCHEME.test(address)) return '#'
  return value instanceof Markup ? new Markup(address) : address
}
