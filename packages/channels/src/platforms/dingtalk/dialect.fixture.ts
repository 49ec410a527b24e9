import type { Dialect } from '../../markdown/dialect.ts'
import type { Seen } from '../../markdown/dialects.fixture.ts'
import { dialectWith } from './dialect.ts'

/** Two characters for private use: no text holds them, but by a chance that can be neglected. */
const BACKTICK = '\ue123\ue321'

/** The dialect with a stand-in for backticks that can be told from everything else. */
export const seenDialect: Dialect = dialectWith(BACKTICK)

const FENCE = /^```[\w+#.-]*\n([^]*?)\n```/
const CODE = /^`([^`]*)`/
const LINK_END = /^\]\(([^()\s\\<>]*)\)/
const ESCAPED = /^\\([!-/:-@[-`{-~])/
const QUOTE = /^>(?: |(?=\n|$))/

/** Reads what `seenDialect` wrote as its clients do. @throws when something is not balanced or not escaped */
export function seeDingtalk(body: string): Seen {
  let text = ''
  let stars = 0
  let open = 0
  let marks = 0
  for (let at = 0; at < body.length; ) {
    const rest = body.slice(at)
    const isLineStart = at === 0 || body[at - 1] === '\n'
    const block = FENCE.exec(rest) ?? CODE.exec(rest)
    const escaped = ESCAPED.exec(rest)
    const quote = isLineStart ? QUOTE.exec(rest) : null
    const link = LINK_END.exec(rest)
    marks += block || quote || link ? 1 : 0
    if (block) text += (block[1] ?? '').replaceAll(BACKTICK, '`')
    else if (escaped) text += escaped[1] ?? ''
    else if (rest.startsWith('*')) stars++
    else if (rest.startsWith('[')) open++
    else if (link) open--
    else if (/^[\]`\\]|^!\[|^<[a-z/!?]/i.test(rest)) throw new Error(`not escaped at ${at}: ${body}`)
    else if (isLineStart && /^#{1,6}(?:\s|$)/.test(rest)) throw new Error(`a heading at ${at}: ${body}`)
    else if (!quote) text += body[at] ?? ''
    at += (block ?? escaped ?? quote ?? (open >= 0 ? link : null))?.[0].length ?? 1
    if (open < 0) throw new Error(`an address without a link at ${at}: ${body}`)
  }
  if (open !== 0) throw new Error(`a link is left open: ${body}`)
  if (stars % 2 !== 0) throw new Error(`stars are not balanced: ${body}`)
  return { text, marks: marks + Math.floor(stars / 4) }
}
