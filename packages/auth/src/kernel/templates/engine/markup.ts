/** Finished HTML: written out as it is. Everything else is escaped. */
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

/** For text and for attributes in either kind of quotes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign)

/** What a value looks like as text: the parts of a list one after another, nothing for an object. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (value instanceof Markup) return value.html
  if (value instanceof Date) return value.toISOString()
  return Array.isArray(value) ? value.map(toText).join('') : ''
}

/** What a value looks like in a page. */
export function toHtml(value: unknown): string {
  if (value instanceof Markup) return value.html
  if (Array.isArray(value)) return value.map(toHtml).join('')
  return escapeHtml(toText(value))
}

/** What text templates do otherwise: nothing in them is markup. */
export interface OutputKind {
  /** Escapes, unless it is `Markup`. */
  write(value: unknown): string
  /** A finished piece of output as a value. */
  finished(output: string): Markup | string
}
