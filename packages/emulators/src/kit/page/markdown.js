import { make } from './parts.js'

// The markup that the platforms share, shown as far as a reader needs it. Only text nodes: never markup of a message.

const BLOCKS = [
  { start: /^```(\w*)\s*$/, make: codeBlock },
  { start: /^#{1,6} +(.*)$/, make: ([, words]) => withInline(make('h3'), words) },
  { start: /^(?:---+|\*\*\*+)\s*$/, make: () => make('hr') },
]
const LISTS = [
  { tag: 'ul', item: /^\s*[-*•] +(.*)$/ },
  { tag: 'ol', item: /^\s*\d+[.)] +(.*)$/ },
  { tag: 'blockquote', item: /^> ?(.*)$/ },
]

/** Puts a text with Markdown into an element. */
export function putMarkdown(parent, text) {
  const lines = text.split('\n')
  let words = []
  const endWords = () => {
    const said = words.join('\n').replace(/^\n+|\n+$/g, '')
    if (said !== '') parent.append(withInline(make('p'), said))
    words = []
  }
  while (lines.length > 0) {
    const block = BLOCKS.find(({ start }) => start.test(lines[0]))
    const list = LISTS.find(({ item }) => item.test(lines[0]))
    if (!block && !list && !isTable(lines)) {
      words.push(lines.shift())
      continue
    }
    endWords()
    if (block) parent.append(block.make(block.start.exec(lines.shift()), lines))
    else if (list) parent.append(listOf(list, lines))
    else parent.append(tableOf(lines))
  }
  endWords()
}

function codeBlock([, language], lines) {
  const code = []
  while (lines.length > 0 && !/^```\s*$/.test(lines[0])) code.push(lines.shift())
  lines.shift()
  const element = make('pre', '', code.join('\n'))
  if (language) element.dataset.language = language
  element.tabIndex = 0
  return element
}

function listOf({ tag, item }, lines) {
  const element = make(tag)
  while (lines.length > 0 && item.test(lines[0])) {
    const [, words] = item.exec(lines.shift())
    element.append(withInline(make(tag === 'blockquote' ? 'p' : 'li'), words))
  }
  return element
}

const isTable = (lines) => /^\s*\|.*\|\s*$/.test(lines[0]) && /^\s*\|[\s:|-]+\|\s*$/.test(lines[1] ?? '')

function tableOf(lines) {
  const cellsOf = (line) => line.trim().slice(1, -1).split('|')
  const row = (tag, line) => make('tr', '', ...cellsOf(line).map((words) => withInline(make(tag), words.trim())))
  const table = make('table', '', row('th', lines.shift()))
  lines.shift()
  while (lines.length > 0 && /^\s*\|.*\|\s*$/.test(lines[0])) table.append(row('td', lines.shift()))
  const around = make('div', 'table', table)
  around.tabIndex = 0
  return around
}

/** Longer marks first: what begins alike must not be taken for a shorter one. */
const INLINE =
  /\\([!-/:-@[-`{-~])|&(?:#(\d{2,6})|(lt|gt|amp|quot));|(`+)(.+?)\4(?!`)|\*\*(\S(?:.*?\S)?)\*\*|~~(\S(?:.*?\S)?)~~|(?<![\w*])\*([^\s*](?:[^*\n]*[^\s*])?)\*(?![\w*])|(?<!\w)_([^\s_](?:[^_\n]*[^\s_])?)_(?!\w)|\[([^\]\n]+)\]\(([^)\s]+)\)|(https?:\/\/[^\s<>)\]]+)/

function withInline(parent, text) {
  let rest = text
  for (let found = INLINE.exec(rest); found; found = INLINE.exec(rest)) {
    parent.append(rest.slice(0, found.index), inlineOf(found))
    rest = rest.slice(found.index + found[0].length)
  }
  parent.append(rest)
  return parent
}

const NAMED = { lt: '<', gt: '>', amp: '&', quot: '"' }

function inlineOf([, escaped, number, named, , code, bold, struck, italic, italicToo, words, target, address]) {
  if (escaped !== undefined) return escaped
  if (number !== undefined) return Number(number) < 0x110000 ? String.fromCodePoint(number) : ''
  if (named !== undefined) return NAMED[named]
  if (code !== undefined) return make('code', '', code.length > 2 ? code.replace(/^ (.*) $/, '$1') : code)
  if (bold !== undefined) return withInline(make('strong'), bold)
  if (struck !== undefined) return withInline(make('s'), struck)
  if (italic ?? italicToo) return withInline(make('em'), italic ?? italicToo)
  const href = target ?? address
  const link = make('a', '', words ?? address)
  if (URL.canParse(href) && ['http:', 'https:'].includes(new URL(href).protocol)) {
    Object.assign(link, { href, target: '_blank', rel: 'noopener noreferrer nofollow' })
  }
  return link
}
