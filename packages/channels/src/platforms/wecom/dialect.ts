import type { Dialect, Mark } from '../../markdown/dialect.ts'

const ESCAPED = /[\\*`[\]]|<(?=[a-zA-Z/!?])|~(?=~)/g
/** Where a block would begin. */
const BLOCK_START = /^( {0,3})(#{1,6}(?=\s|$)|>|[-+](?=\s|$)|[-=_]{3,}\s*$)/gm
/** Leading blanks would vanish, or make a code block of four. */
const INDENT = /(?<=\n) +/g
const HARD_BLANK = '\u00a0'
/** An underscore inside a word marks nothing. */
const LONE_UNDERSCORE = /(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu

const ZERO_WIDTH = '\u200b'
/** Code cannot hold what ends it, so it holds a look-alike, and one that can be told from a real one. */
const CODE_TICK = `ˋ${ZERO_WIDTH}`

const has = (inside: readonly Mark[], type: Mark['type']): boolean => inside.some((mark) => mark.type === type)

function text(source: string, inside: readonly Mark[]): string {
  if (has(inside, 'pre')) return source.replace(/`{3}/g, `\`\`${ZERO_WIDTH}\``)
  let written = source
  // a heading is one line
  if (has(inside, 'heading')) written = written.replaceAll('\n', ' ')
  if (has(inside, 'code')) written = written.replaceAll('`', CODE_TICK)
  else {
    written = written
      .replace(ESCAPED, '\\$&')
      .replace(LONE_UNDERSCORE, '\\_')
      .replace(BLOCK_START, '$1\\$2')
      .replace(INDENT, (blanks) => HARD_BLANK.repeat(blanks.length))
  }
  return has(inside, 'quote') ? written.replaceAll('\n', '\n> ') : written
}

const PAIRS: Readonly<Partial<Record<Mark['type'], { readonly open: string; readonly close: string }>>> = {
  bold: { open: '**', close: '**' },
  italic: { open: '*', close: '*' },
  code: { open: '`', close: '`' },
  // on a line of their own also where they stand in a list
  heading: { open: '\n### ', close: '' },
  quote: { open: '\n> ', close: '\n' },
}

/** Only what would end the address. */
const address = (href: string): string =>
  href.replace(/[()<>\s\\]/g, (char) => encodeURIComponent(char).replace('(', '%28').replace(')', '%29'))

/** WeCom's Markdown; it knows neither struck out nor underlined text, and no spoilers. */
export const wecomDialect: Dialect = {
  text,
  wrap(mark) {
    if (mark.type === 'link') return { open: '[', close: `](${address(mark.href)})` }
    if (mark.type === 'pre') return { open: `\n\`\`\`${mark.language}\n`, close: '\n```' }
    return PAIRS[mark.type] ?? null
  },
  measures: 'rendered',
}
