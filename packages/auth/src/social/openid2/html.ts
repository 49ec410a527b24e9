/** Tags in the head of a page: what comes later may be written by others. */
function tagsOf(html: string, name: 'link' | 'meta'): readonly ReadonlyMap<string, string>[] {
  const head = withoutComments(html.slice(0, 200_000)).split(/<\/head|<body/i, 1)[0] ?? ''
  return [...head.matchAll(/<(link|meta)\b([^<>]{0,4000})>/gi)]
    .filter(([, tag = '']) => tag.toLowerCase() === name)
    .map(([, , written = '']) => attributesOf(written))
}

function attributesOf(written: string): ReadonlyMap<string, string> {
  const found = written.matchAll(/(?<![a-z-])([a-z][a-z-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi)
  return new Map([...found].map(([, name = '', a, b, c]) => [name.toLowerCase(), unescaped(a ?? b ?? c ?? '')]))
}

/** Entities that OpenID Authentication 2.0, section 7.3.3, allows there. */
const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&').trim()

function withoutComments(html: string): string {
  return html
    .split('<!--')
    .map((part, at) => (at === 0 ? part : part.slice(part.includes('-->') ? part.indexOf('-->') + 3 : part.length)))
    .join('')
}

/** `href` of the link with this relation; `null`: none. */
export function linkIn(html: string, relation: string): string | null {
  const link = tagsOf(html, 'link').find((tag) => (tag.get('rel') ?? '').toLowerCase().split(/\s+/).includes(relation))
  return link?.get('href') || null
}

/** Where a page says that its Yadis document is; `null`: it does not. Yadis 1.0, section 6.2.5 */
export function xrdsLocationIn(html: string): string | null {
  const meta = tagsOf(html, 'meta').find((tag) => (tag.get('http-equiv') ?? '').toLowerCase() === 'x-xrds-location')
  return meta?.get('content') || null
}
