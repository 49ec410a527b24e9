import type { Seen } from '../../markdown/dialects.fixture.ts'

const WECOM_TOKEN =
  /^```[^\n`]*\n([^]*?)\n```$|^> |^### |\\([^])|`([^`\n]*(?:\n[^`\n]*)*)`|\[|\]\(([^()\s]*)\)|(\*)|([^\\`[\]*\n]|\](?!\()|\n)/gmy

/** Reads WeCom's Markdown. @throws when a mark is not balanced or something is not escaped */
export function seeWecom(body: string): Seen {
  let text = ''
  let stars = 0
  let links = 0
  let at = 0
  for (const match of body.matchAll(WECOM_TOKEN)) {
    at = match.index + match[0].length
    const [token, pre, escaped, code, href, star, plain] = match
    text += pre?.replaceAll('\u200b`', '`') ?? escaped ?? code?.replaceAll('ˋ\u200b', '`') ?? plain ?? ''
    if (star !== undefined) stars++
    if (token === '[') links++
    if (href !== undefined) links--
  }
  if (at !== body.length) throw new Error(`not escaped at ${at}: ${body}`)
  if (stars % 2 !== 0 || links !== 0) throw new Error(`left open: ${body}`)
  return { text, marks: 0 }
}
