import type { Dialect, Mark } from '../../markdown/dialect.ts'

/** What could be taken for markup, wherever it stands; a tilde or an underscore only where it could mean something. */
const SPECIAL = /[\\*`[\]]|~(?=~)|(?<=~)~|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|<(?=[a-z/!?])|&(?=#?\w+;)|!(?=\[|$)/giu
/** What could be taken for a heading, a quote or a list; a number and a dot are shown as they are. */
const LINE_START = /^([ \t]*)(#(?=#*(?:\s|$))|>|[+-](?=[\s-]|$)|=(?==*\s*$))/gm
const CODE_FENCE = /`{3,}/g

/** On separate lines, also inside a list, where the following text would count as part of it. */
const QUOTE = { open: '\n> ', close: '\n' }
const BOLD = { open: '**', close: '**' }

/**
 * DingTalk's Markdown: a subset of CommonMark in which a single line break is swallowed. It knows no strike, underline
 * or spoiler. Headings are bold: in lists and quotes no other form is understood everywhere.
 * @see DingTalk Open Platform, robot messages of type markdown
 */
export const dingtalkDialect: Dialect = dialectWith('\u1fef')

/** @param backtick Stands for a backtick inside of code, where nothing can be escaped: drawn alike, meaning nothing. */
export function dialectWith(backtick: string): Dialect {
  const backticks = (text: string): string => text.replaceAll('`', backtick)
  return { measures: 'rendered', wrap, text: (text, inside) => escapeText(text, inside, backticks) }
}

function escapeText(text: string, inside: readonly Mark[], backticks: (text: string) => string): string {
  const outer = inside[0]?.type
  if (outer === 'pre') return text.replace(CODE_FENCE, (fence) => backticks(fence))
  const quoted = inside.some(({ type }) => type === 'quote')
  const isCode = inside.some(({ type }) => type === 'code')
  const shown = isCode ? backticks(text) : text.replace(SPECIAL, '\\$&').replace(LINE_START, '$1\\$2')
  return shown.includes('\n') ? breakLines(shown, quoted) : shown
}

function wrap(mark: Mark): ReturnType<Dialect['wrap']> {
  switch (mark.type) {
    case 'bold':
    case 'heading':
      return BOLD
    case 'italic':
      return { open: '*', close: '*' }
    case 'code':
      return { open: '`', close: '`' }
    case 'quote':
      return QUOTE
    case 'pre':
      return { open: `\`\`\`${mark.language}\n`, close: '\n```' }
    case 'link':
      return { open: '[', close: `](${mark.href.replace(/[()<>\\\s]/g, percentEncode)})` }
    case 'strike':
    case 'underline':
    case 'spoiler':
      return null
  }
}

const percentEncode = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`

/** Makes single line breaks seen, goes on with the quote in each line, and keeps indentation from being taken for code. */
function breakLines(text: string, quoted: boolean): string {
  const prefix = quoted ? '> ' : ''
  return text.replace(/(\n+)( *)/g, (_all, breaks: string, indent: string) => {
    const seen = breaks.length === 1 ? '  \n' : `\n${prefix.trimEnd()}`.repeat(breaks.length - 1).concat('\n')
    return seen + prefix + '\u00a0'.repeat(indent.length)
  })
}

/** Removes the extra empty lines around quotes, and empty lines at both ends. */
export const tidyMarkdown = (body: string): string =>
  outsideFences(body, (text) => text.replace(/\n{3,}/g, '\n\n')).replace(/^\n+|\n+$/g, '')

/** Lines of a card are broken by `<br>`, except in quotes and in fenced blocks. */
export const cardText = (body: string): string =>
  outsideFences(tidyMarkdown(body), (text) => text.replace(/(?<!\n) {2}\n(?![>\n])/g, '<br>'))

const outsideFences = (body: string, change: (text: string) => string): string =>
  body
    .split(/(```[^]*?\n```)/)
    .map((piece, at) => (at % 2 === 1 ? piece : change(piece)))
    .join('')

const TITLE_CHARACTERS = 64

/** Returns the notification text: the first non-empty line without markup. */
export function toTitle(body: string): string {
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
