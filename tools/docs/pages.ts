import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')

/** A page of the manual. */
export interface ManualPage {
  /** From the root of the repository, e.g. `docs/auth/index.md`. */
  readonly path: string
  readonly text: string
}

/** Everything that people read: the manual, and what stands at the root and beside the code. */
export const manualPages = (): readonly ManualPage[] =>
  globSync(['*.md', 'docs/**/*.md', 'packages/*/*.md', 'packages/*/templates/*.md', 'examples/**/*.md'], {
    cwd: ROOT,
    exclude: ['**/node_modules/**'],
  })
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))

/** A block of code in a page. */
export interface Snippet {
  readonly path: string
  /** Where its code begins, counted from 1. */
  readonly line: number
  readonly code: string
  /** What the text around it has said already, from a comment `<!-- given: … -->` right before it. */
  readonly given: string
}

const BLOCK = /(?:<!-- given:\s*([\s\S]*?)\s*-->\n+)?^```(\w*)\n([\s\S]*?)^```$/gm

/** The blocks of one language, in their order. */
export const snippetsOf = ({ path, text }: ManualPage, language: string): readonly Snippet[] =>
  [...text.matchAll(BLOCK)]
    .filter((found) => found[2] === language)
    .map((found) => {
      const [whole, given = '', , code = ''] = found
      const start = found.index + whole.indexOf('```') + 3 + language.length + 1
      return { path, line: text.slice(0, start).split('\n').length, code, given }
    })
