import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { manualPages } from './pages.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const LINK = /(?<!!)\[[^\]]*\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g

/** Without blocks of code, whose brackets are no links. */
const prose = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '')

/** The anchors of the headings, as GitHub makes them. */
const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(/\s/g, '-'),
    ),
  )

function deadLinks({ path, text }: { readonly path: string; readonly text: string }): readonly string[] {
  return [...prose(text).matchAll(LINK)].flatMap(([, link, attribute]) => {
    const target = link ?? attribute ?? ''
    if (/^[a-z]+:/.test(target)) return []
    const [file = '', anchor] = target.split('#')
    const found = file === '' ? path : join(dirname(path), file)
    if (!existsSync(join(ROOT, found))) return [target]
    if (anchor === undefined) return []
    return anchorsOf(readFileSync(join(ROOT, found), 'utf8')).has(anchor) ? [] : [target]
  })
}

it.each(manualPages().map((page) => [page.path, page] as const))('%s has no dead links', (_path, page) => {
  expect(deadLinks(page)).toEqual([])
})

it('finds a page and a heading that are not there', () => {
  expect(deadLinks({ path: 'docs/x.md', text: '[a](nowhere.md) [b](README.md#nothing) [c](README.md)' })).toEqual([
    'nowhere.md',
    'README.md#nothing',
  ])
})
