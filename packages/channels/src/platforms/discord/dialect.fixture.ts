import type { Seen } from '../../markdown/dialects.fixture.ts'

const TOKEN = new RegExp(
  [
    '\\\\([^])', // 1 escaped
    '```[^\\n`]*\\n([^]*?)\\n```', // 2 fence
    '``((?:[^`]|\u200b`\u200b)*)``', // 3 code
    '(\\*\\*|\\*|~~|__|\\|\\|)', // 4 opens or closes
    '\\]\\((https?:[^()<>\\s\\\\]*)\\)', // 5 end of a link
    '(\\[)', // 6 its beginning
    '### |> ', // of a line
    '(https?://[^\\s<>[\\]()*|`~\\\\]*|[^\\\\`*~_|[\\]<>#])', // 7 plain
  ].join('|'),
  'giy',
)

/** Reads what Discord's dialect wrote. @throws when a mark is not balanced or something is not escaped */
export function seeDiscord(body: string): Seen {
  const open = new Set<string>()
  let text = ''
  let links = 0
  let at = 0
  for (const match of body.matchAll(TOKEN)) {
    at = match.index + match[0].length
    const [, escaped, fence, code, toggle, href, link, plain] = match
    text += escaped ?? plain ?? (fence ?? code ?? '').replaceAll('\u200b', '')
    if (toggle !== undefined && !open.delete(toggle)) open.add(toggle)
    if (link !== undefined) links += 1
    if (href !== undefined) links -= 1
  }
  if (at !== body.length) throw new Error(`not escaped at ${at}: ${body}`)
  if (open.size > 0 || links !== 0) throw new Error(`left open ${[...open].join()}: ${body}`)
  return { text, marks: 0 }
}
