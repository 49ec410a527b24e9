import { make } from './parts.js'

// Renders the blocks of a message with text nodes only, never as markup.

const ELEMENTS = { paragraph: 'p', heading: 'h3', rule: 'hr' }

/** Appends blocks to an element. */
export function putBlocks(parent, blocks) {
  let list
  for (const block of blocks) {
    if (block.type !== 'item') {
      list = undefined
      parent.append(createBlock(block))
      continue
    }
    const tag = block.marker === '•' ? 'ul' : 'ol'
    if (list?.localName !== tag) parent.append((list = make(tag)))
    const item = withSpans(make('li'), block.spans)
    if (tag === 'ol') item.value = Number.parseInt(block.marker, 10)
    list.append(item)
  }
}

function createBlock({ type, language, spans = [], rows = [] }) {
  if (type === 'table') return createTable(rows)
  if (type === 'quote') return make('blockquote', '', withSpans(make('p'), spans))
  if (type !== 'code') return withSpans(make(ELEMENTS[type]), spans)
  const element = make('pre', '', ...spans.map(({ text }) => text))
  if (language) element.dataset.language = language
  element.tabIndex = 0
  return element
}

function createTable([head = [], ...rows]) {
  const row = (tag, cells) => make('tr', '', ...cells.map((words) => make(tag, '', words)))
  const around = make('div', 'table', make('table', '', row('th', head), ...rows.map((cells) => row('td', cells))))
  around.tabIndex = 0
  return around
}

function withSpans(parent, spans) {
  parent.append(...spans.map(createSpan))
  return parent
}

function createSpan({ text, bold, italic, strike, code, href }) {
  let element = text
  if (code) element = make('code', '', element)
  if (strike) element = make('s', '', element)
  if (italic) element = make('em', '', element)
  if (bold) element = make('strong', '', element)
  if (href) {
    element = make('a', '', element)
    Object.assign(element, { href, target: '_blank', rel: 'noopener noreferrer nofollow' })
  }
  return element
}
