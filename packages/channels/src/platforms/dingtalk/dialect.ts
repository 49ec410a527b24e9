import type { Dialect, Mark } from '../../markdown/dialect.ts'

/** What could be taken for markup, wherever it stands; a tilde or an underscore only where it could mean something. */
const SPECIAL = /[\\*`[\]]|~(?=~)|(?<=~)~|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|<(?=[a-z/!?])|&(?=#?\w+;)|!(?=\[|$)/giu
/** What could be taken for a heading, a quote or a list; a number and a dot are shown as they are. */
const LINE_START = /^([ \t]*)([#>+-]|=(?==*\s*$))/gm
const CODE_FENCE = /`{3,}/g

const BOLD = { open: '**', close: '**' }

/**
 * DingTalk's Markdown: a subset of CommonMark in which a single line break is swallowed. It knows no strike, underline
 * or spoiler. Headings are bold: in lists and quotes no other form is understood everywhere.
 * @see DingTalk Open Platform, robot messages of type markdown
 */
export const dingtalkDialect: Dialect = {
  text(text, inside) {
    const outer = inside[0]?.type
    if (outer === 'pre') return text.replace(CODE_FENCE, (fence) => backticks(fence))
    const quoted = inside.some(({ type }) => type === 'quote')
    // nothing can be escaped inside of inline code, and a backtick would end it
    const isCode = inside.some(({ type }) => type === 'code')
    const shown = isCode ? backticks(text) : text.replace(SPECIAL, '\\$&').replace(LINE_START, '$1\\$2')
    return shown.includes('\n') ? breakLines(shown, quoted) : shown
  },
  wrap(mark: Mark) {
    switch (mark.type) {
      case 'bold':
      case 'heading':
        return BOLD
      case 'italic':
        return { open: '*', close: '*' }
      case 'code':
        return { open: '`', close: '`' }
      case 'quote':
        return { open: '> ', close: '' }
      case 'pre':
        return { open: `\`\`\`${mark.language}\n`, close: '\n```' }
      case 'link':
        return { open: '[', close: `](${mark.href.replace(/[()<>\\\s]/g, percent)})` }
      case 'strike':
      case 'underline':
      case 'spoiler':
        return null
    }
  },
  measures: 'rendered',
}

/** U+02CB looks like a backtick and means nothing. */
const backticks = (text: string): string => text.replaceAll('`', 'ˋ')

const percent = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`

/** Makes single line breaks seen, goes on with the quote in each line, and keeps indentation from being taken for code. */
function breakLines(text: string, quoted: boolean): string {
  const prefix = quoted ? '> ' : ''
  return text.replace(/(\n+)( *)/g, (_all, breaks: string, indent: string) => {
    const seen = breaks.length === 1 ? '  \n' : `\n${prefix.trimEnd()}`.repeat(breaks.length - 1).concat('\n')
    return seen + prefix + '\u00a0'.repeat(indent.length)
  })
}

/** Lines of a card are broken by `<br>`, except in quotes and in fenced blocks. */
export function cardText(body: string): string {
  return body
    .split(/(```[^]*?\n```)/)
    .map((piece, at) => (at % 2 === 1 ? piece : piece.replace(/ {2}\n(?!>)/g, '<br>')))
    .join('')
}

const TITLE_CHARACTERS = 64

/** The text of the notification: the first line that says something, without markup. */
export function titleOf(body: string): string {
  const line = body
    .split('\n')
    .map((raw) =>
      raw
        .replace(/^```.*$/, '')
        .replace(/\]\([^()]*\)/g, '')
        .replace(/(?<!\\)(?:[*`[]|^[>\s]+)/g, '')
        .replace(/\\([!-/:-@[-`{-~])/g, '$1')
        .trim(),
    )
    .find((read) => read !== '')
  return (
    Array.from(line ?? '')
      .slice(0, TITLE_CHARACTERS)
      .join('') || '…'
  )
}
