/** `url`, absolute or a path, with more parameters in its query. */
export function addQueryParams(url: string, parameters: Readonly<Record<string, string>>): string {
  const added = new URLSearchParams(parameters).toString()
  if (added === '') return url
  const at = url.indexOf('#')
  const [before, fragment] = at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at)]
  return `${before}${before.includes('?') ? '&' : '?'}${added}${fragment}`
}
