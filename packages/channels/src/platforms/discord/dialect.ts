import type { Dialect, Mark } from '../../markdown/dialect.ts'

const SPECIAL = /[\\*_~`|<>#[\]]/g
const WRAPS: Readonly<
  Record<Exclude<Mark['type'], 'link' | 'pre'>, { readonly open: string; readonly close: string }>
> = {
  bold: { open: '**', close: '**' },
  italic: { open: '*', close: '*' },
  strike: { open: '~~', close: '~~' },
  underline: { open: '__', close: '__' },
  spoiler: { open: '||', close: '||' },
  // two, because the text may hold one
  code: { open: '``', close: '``' },
  // of a line, and without an end: what follows a heading or a quote begins on another line
  heading: { open: '### ', close: '' },
  quote: { open: '> ', close: '' },
}
const LITERAL = { open: '', close: '' }
const BARE_ADDRESS = /^https?:\/\/[^\s<>[\]()*|`~\\]*$/i
/** Shows nothing, and keeps backticks from becoming a fence. */
const ZERO_WIDTH_SPACE = '\u200b'

/**
 * Discord's Markdown: escaped by backslashes, everything is counted. It has no tables.
 * @see Discord Help Center, "Markdown Text 101"
 */
export const discordDialect: Dialect = {
  text(text, inside) {
    const shown = escape(text, inside)
    return inside.some((mark) => mark.type === 'quote') ? shown.replaceAll('\n', '\n> ') : shown
  },
  wrap(mark) {
    if (mark.type === 'link') return wrapLink(mark)
    if (mark.type === 'pre')
      return { open: `\`\`\`${/^[\w+#.-]*$/.test(mark.language) ? mark.language : ''}\n`, close: '\n```' }
    return WRAPS[mark.type]
  },
  measures: 'rendered',
}

function escape(text: string, inside: readonly Mark[]): string {
  const innermost = inside.at(-1)
  if (inside.some((mark) => mark.type === 'pre'))
    return text.replaceAll('```', `\`${ZERO_WIDTH_SPACE}\`${ZERO_WIDTH_SPACE}\``)
  if (inside.some((mark) => mark.type === 'code')) {
    return text.replaceAll('`', `${ZERO_WIDTH_SPACE}\`${ZERO_WIDTH_SPACE}`)
  }
  // a web URL is a link as it is; elsewhere it is markup
  if (innermost?.type === 'link' && innermost.literal && BARE_ADDRESS.test(text)) return text
  return text.replace(SPECIAL, '\\$&')
}

/** Only web addresses can be hidden behind a text; of others the address itself is shown. */
function wrapLink(mark: Extract<Mark, { type: 'link' }>): ReturnType<Dialect['wrap']> {
  if (!/^https?:\/\//i.test(mark.href)) return mark.literal ? LITERAL : null
  if (mark.literal) return LITERAL
  return { open: '[', close: `](${mark.href.replace(/[()<>\s\\]/g, (char) => ENCODED[char] ?? '%20')})` }
}
const ENCODED: Readonly<Record<string, string>> = { '(': '%28', ')': '%29', '<': '%3C', '>': '%3E', '\\': '%5C' }
