import type { Dialect } from '../../markdown/dialect.ts'
import type { Seen } from '../../markdown/dialects.fixture.ts'
import { dialectWith, unescapeEntities } from './dialect.ts'

/** Characters for private use: no text holds two of them in a row, but by a chance that can be neglected. */
const TICK = '\ue123\ue321'
const GAP = '\ue321\ue123'

/** The dialect with stand-ins that can be told from everything else. */
export const seenFeishuDialect: Dialect = dialectWith(TICK, GAP)

const FENCE = /^```[\w+#.-]*\n([^]*?)\n```/
const CODE = /^`([^`]*)`/
const LINK_END = /^\]\(([^()\s\\<>]*)\)/
const ENTITY = /^&#\d+;/
const QUOTE = /^> /

/** Reads what `seenFeishuDialect` wrote as its clients do. @throws when something is not balanced or not escaped */
export function seeFeishu(body: string): Seen {
  let text = ''
  let marks = 0
  let open = 0
  const signs = { '*': 0, '~': 0 }
  let isLineStart = true
  for (let at = 0; at < body.length; ) {
    const rest = body.slice(at)
    const fence = FENCE.exec(rest)
    const block = fence ?? CODE.exec(rest)
    const entity = ENTITY.exec(rest)
    const quote = isLineStart ? QUOTE.exec(rest) : null
    const link = LINK_END.exec(rest)
    const char = body[at] ?? ''
    marks += block || quote || link ? 1 : 0
    if (fence) text += (fence[1] ?? '').replaceAll(GAP, '')
    else if (block) text += (block[1] ?? '').replaceAll(TICK, '`').replaceAll('\n> ', '\n')
    else if (entity) text += unescapeEntities(entity[0])
    else if (char === '*' || char === '~') signs[char]++
    else if (char === '[') open++
    else if (link) open--
    else if (/^[\]`<|]/.test(rest)) throw new Error(`not escaped at ${at}: ${body}`)
    else if (isLineStart && /^(?:#|[-+=](?:[\s=-]|$))/.test(rest)) throw new Error(`a block at ${at}: ${body}`)
    else if (!quote) text += char
    if (!quote) isLineStart = !block && (char === '\n' || (isLineStart && /[ \t]/.test(char)))
    at += (block ?? entity ?? quote ?? link)?.[0].length ?? 1
    if (open < 0) throw new Error(`an address without a link at ${at}: ${body}`)
  }
  if (open !== 0 || signs['*'] % 2 !== 0 || signs['~'] % 4 !== 0) throw new Error(`not balanced: ${body}`)
  return { text, marks }
}
