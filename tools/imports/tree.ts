import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { scan, snippets, type FoundImport, type Scanned } from './scan.ts'

/** A workspace package: its folder and what it lets others import. */
export interface WorkspacePackage {
  readonly name: string
  /** From the root, e.g. `packages/sql`. */
  readonly folder: string
  /** `.` and other subpaths to files from the root. */
  readonly entries: ReadonlyMap<string, string>
}

export interface SourceFile extends Scanned {
  /** From the root, with `/`. */
  readonly path: string
}

export interface Tree {
  readonly packages: readonly WorkspacePackage[]
  readonly files: readonly SourceFile[]
}

const SKIPPED = new Set(['node_modules', 'dist', 'coverage'])

function walk(root: string, folder: string, suffix: RegExp): readonly string[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name)
    if (entry.isDirectory())
      return SKIPPED.has(entry.name) || entry.name.startsWith('.') ? [] : walk(root, path, suffix)
    return suffix.test(entry.name) ? [path] : []
  })
}

function readPackage(root: string, folder: string): WorkspacePackage | null {
  const file = join(root, folder, 'package.json')
  if (!existsSync(file)) return null
  const { name, exports } = JSON.parse(readFileSync(file, 'utf8')) as {
    name: string
    exports?: Record<string, unknown>
  } // our own file
  const entries = Object.entries(exports ?? {}).flatMap(([key, target]): [string, string][] =>
    typeof target === 'string' ? [[key, posix.join(folder, target)]] : [],
  )
  return { name, folder, entries: new Map(entries) }
}

/** Reads every source file of the packages, bench, examples and tools, and every page with TypeScript in it. */
export function readTree(root: string): Tree {
  const inPackages = existsSync(join(root, 'packages')) ? readdirSync(join(root, 'packages')) : []
  const folders = [...inPackages.map((name) => `packages/${name}`), 'bench']
  const sources = ['packages', 'bench', 'examples', 'tools'].flatMap((folder) => walk(root, folder, /\.tsx?$/))
  const pages = walk(root, 'docs', /\.md$/)
  return {
    packages: folders.flatMap((folder) => readPackage(root, folder) ?? []),
    files: [...sources, ...pages].map((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      return { path, ...(path.endsWith('.md') ? scan('page.ts', snippets(text)) : scan(path, text)) }
    }),
  }
}

export type Target =
  /** A file of ours, from the root. */
  | { readonly kind: 'file'; readonly path: string }
  /** A package of ours, at a place it does not export. */
  | { readonly kind: 'not_exported'; readonly owner: WorkspacePackage }
  /** Node's own or a package of others. */
  | { readonly kind: 'foreign' }

/** What `found` in `file` means. */
export function resolve(tree: Tree, file: SourceFile, found: FoundImport): Target {
  const { specifier } = found
  if (specifier === null) return { kind: 'foreign' }
  if (specifier.startsWith('.')) return { kind: 'file', path: posix.join(dirname(file.path), specifier) }
  const owner = tree.packages.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`))
  if (owner === undefined) return { kind: 'foreign' }
  const entry = owner.entries.get(`.${specifier.slice(owner.name.length)}`)
  return entry === undefined ? { kind: 'not_exported', owner } : { kind: 'file', path: entry }
}
