import type { Translate } from './translations.ts'

/** HTML that's written unescaped. Everything else is escaped. */
export class Markup {
  readonly html: string
  constructor(html: string) {
    this.html = html
  }
  toString(): string {
    return this.html
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes for text and for attributes in either kind of quotes. */
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign)

/** Returns the hidden field that passes `next` on, or an empty text if there is no `next`. */
export function redirectField(values: Readonly<Record<string, unknown>>): Markup | '' {
  const value = toText(values['redirect_field_value'])
  return value === '' ? '' : hiddenInput(toText(values['redirect_field_name']) || 'next', value)
}

/** Returns a hidden field of a form. */
export const hiddenInput = (name: string, value: string): Markup =>
  new Markup(`<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)

/** Converts a value to text: a list to its joined parts, an object to nothing. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (value instanceof Markup) return value.html
  if (value instanceof Date) return value.toISOString()
  return Array.isArray(value) ? value.map(toText).join('') : ''
}

/** Converts a value to HTML, escaped unless it is `Markup`. */
export function toHtml(value: unknown): string {
  if (value instanceof Markup) return value.html
  if (Array.isArray(value)) return value.map(toHtml).join('')
  return escapeHtml(toText(value))
}

/** The differences between pages and text templates, which contain no markup. */
export interface OutputFormat {
  /** Converts a value to output, which in pages is escaped unless it's `Markup`. */
  write(value: unknown): string
  /** Wraps rendered output so that it can be written again unchanged. */
  toValue(output: string): Markup | string
}

/** Private-use characters that enclose the index of a piece of markup while the text around it is translated. */
const OPEN = '\uE000'
const CLOSE = '\uE001'
const MARKS = /[\uE000\uE001]/g

/**
 * Translates a text and fills its placeholders. `Markup` values stay markup, so a sentence can contain a link.
 * Everything else is escaped when it's written.
 */
export function translateText(
  t: Translate,
  key: string,
  values: Readonly<Record<string, unknown>>,
  output: Pick<OutputFormat, 'write' | 'toValue'>,
): Markup | string {
  const pieces: Markup[] = []
  const plain: Record<string, string | number> = {}
  for (const [name, value] of Object.entries(values)) {
    if (value instanceof Markup) plain[name] = `${OPEN}${pieces.push(value) - 1}${CLOSE}`
    else plain[name] = typeof value === 'number' ? value : toText(value)
  }
  if (pieces.length === 0) return t(key, plain)
  for (const [name, value] of Object.entries(plain)) {
    if (!(values[name] instanceof Markup) && typeof value === 'string') plain[name] = value.replace(MARKS, '')
  }
  const text = output.write(t(key, plain))
  return output.toValue(text.replace(/\uE000(\d+)\uE001/g, (_all, index: string) => pieces[Number(index)]?.html ?? ''))
}

/** The spaces at which a line may break. */
const BLANKS = / +/

/**
 * Breaks long lines between words, for plain-text mail. Longer words (links) and indented lines stay whole.
 * @param columns Maximum characters per line.
 */
export function wrapText(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (line.length <= columns || line.startsWith(' ') ? line : wrapLine(line, columns)))
    .join('\n')
}

function wrapLine(line: string, columns: number): string {
  const lines: string[] = []
  let current = ''
  for (const word of line.split(BLANKS)) {
    const longer = current === '' ? word : `${current} ${word}`
    if (longer.length <= columns || current === '') {
      current = longer
      continue
    }
    lines.push(current)
    current = word
  }
  return [...lines, current].join('\n')
}
