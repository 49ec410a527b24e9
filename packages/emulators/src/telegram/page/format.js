/** Elements by kind of entity; other kinds stay plain text. */
const ELEMENTS = {
  bold: 'strong',
  italic: 'em',
  underline: 'u',
  strikethrough: 's',
  code: 'code',
  pre: 'pre',
  blockquote: 'blockquote',
  expandable_blockquote: 'blockquote',
  spoiler: 'span',
  mention: 'span',
  text_mention: 'span',
  bot_command: 'span',
  hashtag: 'span',
  text_link: 'a',
  url: 'a',
}

/** Blocks, whose spacing replaces a line break beside them. */
const BLOCKS = new Set(['pre', 'blockquote', 'expandable_blockquote'])

/** Appends a formatted text to an element, with text nodes only, never as markup. Offsets are UTF-16 units. */
export function putFormatted(parent, text, entities = []) {
  const ordered = entities.toSorted((a, b) => a.offset - b.offset || b.length - a.length)
  putRange(parent, text, ordered, 0, text.length)
}

function putRange(parent, text, entities, start, end) {
  let at = start
  let next = 0
  while (next < entities.length) {
    const entity = entities[next++]
    const from = Math.max(entity.offset, at)
    const to = Math.min(entity.offset + entity.length, end)
    if (to <= from) continue
    const isBlock = BLOCKS.has(entity.type)
    parent.append(isBlock ? text.slice(at, from).replace(/\n$/, '') : text.slice(at, from))
    const inner = []
    while (next < entities.length && entities[next].offset < to) inner.push(entities[next++])
    const element = elementFor(entity, text.slice(from, to))
    putRange(element, text, inner, from, to)
    parent.append(element)
    at = isBlock && text[to] === '\n' ? to + 1 : to
  }
  parent.append(text.slice(at, end))
}

function elementFor(entity, covered) {
  const element = document.createElement(ELEMENTS[entity.type] ?? 'span')
  element.dataset.entity = entity.type
  if (element instanceof HTMLAnchorElement) setTarget(element, entity.url ?? covered)
  if (entity.language) element.dataset.language = entity.language
  if (entity.type === 'spoiler') element.tabIndex = 0
  return element
}

function setTarget(anchor, address) {
  if (!URL.canParse(address) || !['http:', 'https:'].includes(new URL(address).protocol)) return
  anchor.href = address
  anchor.target = '_blank'
  anchor.rel = 'noopener noreferrer nofollow'
}
