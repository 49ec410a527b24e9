import type { Dialect, Mark } from '../../markdown/dialect.ts'

/** `&` where an entity might be read, and signs that mean something wherever they stand. */
const SPECIAL = /&(?=[#\w]|$)|[*~`<[\]|]/g
/** Not inside a word: `snake_case` is no emphasis. */
const UNDERSCORE = /(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu
const BACKSLASH = /\\(?=[!-/:-@[-`{-~]|$)/g
/** What makes a heading, a list, a rule or a quote of a line. */
const LINE_START = /^([ \t]*)([#>]|[-+=](?=[\s=-]|$))/gm
/** A name between colons is drawn as a picture. */
const EMOJI = /:(?=[A-Za-z][A-Za-z0-9_]*:)/g

const entity = (char: string): string => `&#${char.charCodeAt(0)};`

/** On separate lines, also inside a list. */
const QUOTE = { open: '\n> ', close: '\n' }

const PLAIN: Readonly<Record<Exclude<Mark['type'], 'link' | 'pre' | 'quote'>, string | null>> = {
  bold: '**',
  heading: '**',
  italic: '*',
  strike: '~~',
  code: '`',
  underline: null,
  spoiler: null,
}

/**
 * @param tick What stands for a backtick between backticks, where nothing can be escaped.
 * @param gap  What keeps three backticks of a fenced text from ending it.
 */
export const dialectWith = (tick: string, gap: string): Dialect => ({
  text(text, inside) {
    if (inside.some((mark) => mark.type === 'pre')) return text.replace(/``(?=`)/g, `\`\`${gap}`)
    const quoted = inside.some((mark) => mark.type === 'quote')
    const isCode = inside.some((mark) => mark.type === 'code')
    const written = isCode ? text.replaceAll('`', tick) : escape(text)
    return quoted ? written.replace(/\n/g, '\n> ') : written
  },
  wrap(mark) {
    if (mark.type === 'link') return { open: '[', close: `](${address(mark.href)})` }
    if (mark.type === 'pre') return { open: `\`\`\`${mark.language}\n`, close: '\n```' }
    if (mark.type === 'quote') return QUOTE
    const sign = PLAIN[mark.type]
    return sign === null ? null : { open: sign, close: sign }
  },
  measures: 'rendered',
})

/**
 * The Markdown of cards (schema 2.0) and of `md` elements in posts. Entities are what the documentation names for
 * special characters.
 * @see Feishu Open Platform, "Rich text (Markdown)" of card JSON 2.0
 */
export const feishuDialect: Dialect = dialectWith('\u02cb', '\u200b')

const escape = (text: string): string =>
  text
    .replace(SPECIAL, entity)
    .replace(BACKSLASH, entity)
    .replace(UNDERSCORE, entity)
    .replace(EMOJI, entity)
    .replace(LINE_START, (_all, indent: string, sign: string) => `${indent}${entity(sign)}`)

const address = (href: string): string =>
  href.replace(/[\s()<>\\]/g, (char) => {
    const code = char.charCodeAt(0)
    return code < 128 ? `%${code.toString(16).padStart(2, '0')}` : encodeURIComponent(char)
  })

/** Without the empty lines that quotes leave at the ends and beside gaps; code stays as it is. */
export const tidyMarkdown = (body: string): string =>
  body
    .split(/(```[^]*?\n```)/)
    .map((piece, at) => (at % 2 === 1 ? piece : piece.replace(/\n{3,}/g, '\n\n')))
    .join('')
    .replace(/^\n+|\n+$/g, '')

/** Returns whether a text can only be trusted to a card: a fence, or an entity, which posts are not documented to know. */
export const needsCard = (body: string): boolean => /```|&#\d+;/.test(body)

/** What a reader of such a text sees of a plain one: entities read back. */
export const unescapeEntities = (body: string): string =>
  body.replace(/&#(\d{1,7});/g, (_all, code: string) => String.fromCodePoint(Math.min(Number(code), 0x10ffff)))
