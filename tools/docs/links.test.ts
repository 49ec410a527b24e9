import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { loadPages } from './pages.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const LINK = /(?<!!)\[[^\]]*\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g

/** Removes code, whose brackets aren't links. */
const removeCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '')

/** Returns the anchors of the headings, as GitHub generates them. */
const findAnchors = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(/\s/g, '-'),
    ),
  )

function findDeadLinks({ path, text }: { readonly path: string; readonly text: string }): readonly string[] {
  return [...removeCode(text).matchAll(LINK)].flatMap(([, link, attribute]) => {
    const target = link ?? attribute ?? ''
    if (/^[a-z]+:/.test(target)) return []
    const [file = '', anchor] = target.split('#')
    const found = file === '' ? path : join(dirname(path), file)
    if (!existsSync(join(ROOT, found))) return [target]
    if (anchor === undefined) return []
    return findAnchors(readFileSync(join(ROOT, found), 'utf8')).has(anchor) ? [] : [target]
  })
}

it.each(loadPages().map((page) => [page.path, page] as const))('%s has no dead links', (_path, page) => {
  expect(findDeadLinks(page)).toEqual([])
})

/** The folders that paths in CONTRIBUTING are relative to, besides the root. */
const BASES = [
  'packages/auth/src',
  'packages/channels/src',
  'packages/console/src',
  'packages/auth/src/social',
  'packages',
]

/** Returns the paths in code spans, without placeholders, globs, addresses, and imports of packages. */
const findCodePaths = (text: string): readonly string[] =>
  [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/`([\w][\w.-]*(?:\/[\w.-]+)+\/?)`/g)].map(
    ([, path = '']) => path,
  )

it('CONTRIBUTING names only files that exist', () => {
  const paths = findCodePaths(readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8'))
  expect(paths).toContain('account/login/login-flow.ts')
  expect(paths.filter((path) => !['', ...BASES].some((base) => existsSync(join(ROOT, base, path))))).toEqual([])
})

it('finds missing pages and headings', () => {
  expect(findDeadLinks({ path: 'docs/x.md', text: '[a](nowhere.md) [b](README.md#nothing) [c](README.md)' })).toEqual([
    'nowhere.md',
    'README.md#nothing',
  ])
})
