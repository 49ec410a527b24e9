import { expect, it } from 'vitest'
import { splitUrl } from './url.tsx'

const urls: readonly [url: string, parts: readonly string[]][] = [
  ['https://wiki.example.org/back', ['https://', 'wiki', '.example', '.org/', 'back']],
  ['http://127.0.0.1:7070/a/?b=c&d#e', ['http://', '127', '.0', '.0', '.1:7070/', 'a/', '?b', '=c', '&d', '#e']],
  ['app:/callback/', ['app:/', 'callback/']],
  ['localhost', ['localhost']],
]
it.each(urls)('lets %s wrap between its parts', (url, parts) => {
  expect(splitUrl(url)).toEqual(parts)
})
