import type { Context, Liquid } from 'liquidjs'
import { Markup, type OutputKind, toText } from './markup.ts'
import { stateOf } from './render-state.ts'
import { translate } from './translated-text.ts'
import { wrapText } from './wrap-text.ts'

/** Schemes that a link may have; an address without one is of this site. */
const LINK_SCHEME = /^(?:https?|mailto|tel):/i
// Browsers skip control characters and blanks in front of and within a scheme.
const ANY_SCHEME = /^[^/?#]*:/

const RIGHT_TO_LEFT = new Set(['ar', 'ckb', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi'])

/** The filters that are not Liquid's; see the package's `templates/README.md`. */
export function registerFilters(liquid: Liquid, output: OutputKind): void {
  liquid.registerFilter('t', function (key: unknown, ...args: readonly unknown[]) {
    return translate(stateOf(this.context).t, toText(key), filterValues(args), output)
  })
  liquid.registerFilter('error_text', function (error: unknown) {
    return errorText(this.context, error, output)
  })
  liquid.registerFilter('has_errors', hasErrors)
  liquid.registerFilter('has', (list: unknown, item: unknown) => Array.isArray(list) && list.includes(item))
  liquid.registerFilter('href', safeHref)
  liquid.registerFilter('image_source', (value: unknown) =>
    /^data:image\//i.test(toText(value)) ? value : safeHref(value),
  )
  liquid.registerFilter('json_script', (value: unknown) => new Markup(scriptJson(value)))
  liquid.registerFilter('wrap', (text: unknown, columns: unknown) => wrapText(toText(text), Number(columns)))
  liquid.registerFilter('direction', (language: unknown) =>
    RIGHT_TO_LEFT.has(toText(language).split('-', 1)[0] ?? '') ? 'rtl' : 'ltr',
  )
}

/** `name: value` arguments come in pairs, an object of values as it is. */
function filterValues(args: readonly unknown[]): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const arg of args) {
    if (Array.isArray(arg)) values[toText(arg[0])] = arg[1]
    else if (typeof arg === 'object' && arg !== null) Object.assign(values, arg)
  }
  return values
}

/** Of an `InputError`, or of a text that is in the right language already. */
function errorText(ctx: Context, error: unknown, output: OutputKind): Markup | string {
  if (typeof error !== 'object' || error === null || !('message' in error)) return toText(error)
  return translate(stateOf(ctx).t, toText(error.message), filterValues(['values' in error && error.values]), output)
}

function hasErrors(form: unknown): boolean {
  if (typeof form !== 'object' || form === null) return false
  const own = 'errors' in form && Array.isArray(form.errors) && form.errors.length > 0
  return own || ('fields' in form && Array.isArray(form.fields) && form.fields.some(hasErrors))
}

/** JSON for the inside of a `script` element, which nothing in it can end. @see HTML, 4.12.1.3 */
const scriptJson = (value: unknown): string =>
  (JSON.stringify(value) ?? 'null').replaceAll(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** `#` instead of an address that would run code or leave the web. */
function safeHref(value: unknown): Markup | string {
  const address = toText(value)
    .replace(/[\u0000-\u0020]+/g, (blanks) => (/^ +$/.test(blanks) ? blanks : ''))
    .trim()
  if (ANY_SCHEME.test(address) && !LINK_SCHEME.test(address)) return '#'
  return value instanceof Markup ? new Markup(address) : address
}
