import type { Dialect, Mark } from '../../markdown/dialect.ts'

const SPECIAL = /[&<>]/g
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const ATTRIBUTE_SPECIAL = /[&<>"]/g

const escape = (char: string): string => ESCAPES[char] ?? char
const attribute = (value: string): string => value.replace(ATTRIBUTE_SPECIAL, escape)

type Tags = { readonly open: string; readonly close: string }
const tag = (name: string): Tags => ({ open: `<${name}>`, close: `</${name}>` })

const SIMPLE: Readonly<Record<Exclude<Mark['type'], 'link' | 'pre'>, Tags>> = {
  bold: tag('b'),
  heading: tag('b'),
  italic: tag('i'),
  strike: tag('s'),
  underline: tag('u'),
  code: tag('code'),
  quote: tag('blockquote'),
  spoiler: tag('tg-spoiler'),
}
const PRE = tag('pre')

/**
 * Telegram's HTML parse mode. The limit counts what is shown; a message has at most 100 entities.
 * @see Telegram Bot API, "HTML style"
 */
export const telegramDialect: Dialect = {
  text: (text) => text.replace(SPECIAL, escape),
  wrap(mark) {
    if (mark.type === 'link') return { open: `<a href="${attribute(mark.href)}">`, close: '</a>' }
    if (mark.type !== 'pre') return SIMPLE[mark.type]
    if (mark.language === '') return PRE
    return { open: `<pre><code class="language-${attribute(mark.language)}">`, close: '</code></pre>' }
  },
  measures: 'visible',
  maxMarks: 100,
}
