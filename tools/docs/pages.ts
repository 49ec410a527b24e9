import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')

/** A page of the manual. */
export interface ManualPage {
  /** Relative to the repository root, e.g. `docs/auth/index.md`. */
  readonly path: string
  readonly text: string
}

/** Loads every Markdown page: the manual, the pages at the root, and those next to the code. */
export const loadPages = (): readonly ManualPage[] =>
  globSync(['*.md', 'docs/**/*.md', 'packages/*/*.md', 'packages/*/templates/*.md', 'examples/**/*.md'], {
    cwd: ROOT,
    exclude: ['**/node_modules/**'],
  })
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))

/** A code block in a page. */
export interface Snippet {
  readonly path: string
  /** The first line of its code, counted from 1. */
  readonly line: number
  readonly code: string
  /** Code that the snippet assumes, from a comment `<!-- given: … -->` right before it. */
  readonly given: string
}

const BLOCK = /(?:<!-- given:\s*([\s\S]*?)\s*-->\n+)?^```(\w*)\n([\s\S]*?)^```$/gm

/** Returns the code blocks of one language, in order. */
export const findSnippets = ({ path, text }: ManualPage, language: string): readonly Snippet[] =>
  [...text.matchAll(BLOCK)]
    .filter((found) => found[2] === language)
    .map((found) => {
      const [whole, given = '', , code = ''] = found
      const start = found.index + whole.indexOf('```') + 3 + language.length + 1
      return { path, line: text.slice(0, start).split('\n').length, code, given }
    })
