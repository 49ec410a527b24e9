import type { Dialect, Mark } from './dialect.ts'

/** What a reader sees of one part, or why the markup is broken. */
export interface Seen {
  readonly text: string
  readonly marks: number
}

const TOGGLES: Readonly<Record<string, string>> = { bold: '**', italic: '_', strike: '~~', code: '`', spoiler: '||' }

/** In the manner of Discord: everything is counted, text is escaped by backslashes. */
export const markdownLike: Dialect = {
  text: (text) => text.replace(/[\\*_~`|[\]()<>#]/g, '\\$&'),
  wrap(mark: Mark) {
    if (mark.type === 'link') return { open: '[', close: `](${mark.href.replace(/[()[\]\\]/g, '%')})` }
    if (mark.type === 'pre') return { open: `\`\`\`${mark.language}\n`, close: '\n```' }
    const toggle = TOGGLES[mark.type]
    return toggle === undefined ? { open: `<${mark.type}>`, close: `</${mark.type}>` } : { open: toggle, close: toggle }
  },
  measures: 'rendered',
}

const MARKDOWN_TOKEN =
  /\\([^])|(```[^\n`]*\n?|\*\*|_|~~|`|\|\||<\/?\w+>|\[)|\]\(([^()]*)\)|([^\\*_~`|[\]()<>#\n]+|\n)/gy

/** Reads what `markdownLike` wrote. @throws when a mark is not balanced or something is not escaped */
export function seeMarkdownLike(body: string): Seen {
  const open: string[] = []
  let text = ''
  let marks = 0
  let at = 0
  for (const match of body.matchAll(MARKDOWN_TOKEN)) {
    at = match.index + match[0].length
    const [, escaped, token, href, plain] = match
    text += escaped ?? plain ?? ''
    if (href !== undefined) requireSame(open.pop(), '[', body)
    if (token === undefined) continue
    if (token.startsWith('```') && open.at(-1) === 'pre') {
      open.pop()
      // the line break before the closing fence belongs to it, the one after does not
      text = text.slice(0, -1) + token.slice(3)
      continue
    }
    const name = token.startsWith('```') ? 'pre' : token.replace('/', '')
    if (token.startsWith('</') || (open.at(-1) === name && name in TOGGLE_NAMES)) requireSame(open.pop(), name, body)
    else {
      open.push(name)
      marks++
    }
  }
  if (at !== body.length) throw new Error(`not escaped at ${at}: ${body}`)
  if (open.length > 0) throw new Error(`left open ${open.join()}: ${body}`)
  return { text, marks }
}
const TOGGLE_NAMES: Readonly<Record<string, true>> = { '**': true, _: true, '~~': true, '`': true, '||': true }

const HTML_TOKEN = /<(\/?)([a-z-]+)((?: [a-z]+="[^"<>]*")?)>|&(amp|lt|gt|quot);|([^<>&]+)/gy
const HTML_ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

/** Reads Telegram's HTML. @throws when a tag is not balanced or something is not escaped */
export function seeHtml(body: string): Seen {
  const open: string[] = []
  let text = ''
  let marks = 0
  let at = 0
  for (const match of body.matchAll(HTML_TOKEN)) {
    at = match.index + match[0].length
    const [, slash, name, attributes, entity, plain] = match
    text += plain ?? (entity === undefined ? '' : HTML_ENTITIES[entity])
    if (name === undefined) continue
    if (slash === '/') requireSame(open.pop(), name, body)
    else {
      if (!(name === 'code' && attributes !== '')) marks++
      open.push(name)
    }
  }
  if (at !== body.length) throw new Error(`not escaped at ${at}: ${body}`)
  if (open.length > 0) throw new Error(`left open ${open.join()}: ${body}`)
  return { text, marks }
}

function requireSame(found: string | undefined, expected: string, body: string): void {
  if (found !== expected) throw new Error(`closes ${expected} where ${found} is open: ${body}`)
}
