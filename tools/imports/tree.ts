import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { type ImportDeclaration, parseSync, Visitor } from 'oxc-parser'

/** A workspace package: its folder and its entry points. */
interface WorkspacePackage {
  readonly name: string
  /** Relative to the root, e.g. `packages/sql`. */
  readonly folder: string
  /** The files of `.` and the other subpaths, relative to the root. */
  readonly entries: ReadonlyMap<string, string>
}

export interface SourceFile extends ScannedSource {
  /** Relative to the root, with `/`. */
  readonly path: string
}

export interface Tree {
  readonly packages: readonly WorkspacePackage[]
  readonly files: readonly SourceFile[]
}

const SKIPPED = new Set(['node_modules', 'dist', 'coverage'])

function listFiles(root: string, folder: string, suffix: RegExp): readonly string[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name)
    if (entry.isDirectory())
      return SKIPPED.has(entry.name) || entry.name.startsWith('.') ? [] : listFiles(root, path, suffix)
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

/** Reads every source file of the packages, bench, examples and tools, and every page that contains TypeScript. */
export function readTree(root: string): Tree {
  const inPackages = existsSync(join(root, 'packages')) ? readdirSync(join(root, 'packages')) : []
  const folders = [...inPackages.map((name) => `packages/${name}`), 'bench']
  const sources = ['packages', 'bench', 'examples', 'tools'].flatMap((folder) => listFiles(root, folder, /\.tsx?$/))
  const pages = listFiles(root, 'docs', /\.md$/)
  return {
    packages: folders.flatMap((folder) => readPackage(root, folder) ?? []),
    files: [...sources, ...pages].map((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      return { path, ...(path.endsWith('.md') ? scanSource('page.ts', extractSnippets(text)) : scanSource(path, text)) }
    }),
  }
}

type Target =
  /** A file of ours, from the root. */
  | { readonly kind: 'file'; readonly path: string }
  /** A package of ours, at a place it does not export. */
  | { readonly kind: 'not_exported'; readonly owner: WorkspacePackage }
  /** Node's own or a package of others. */
  | { readonly kind: 'foreign' }

/** What `found` in `file` means. */
export function resolveImport(tree: Tree, file: SourceFile, found: FoundImport): Target {
  const { specifier } = found
  if (specifier === null) return { kind: 'foreign' }
  if (specifier.startsWith('.')) return { kind: 'file', path: posix.join(dirname(file.path), specifier) }
  const owner = tree.packages.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`))
  if (owner === undefined) return { kind: 'foreign' }
  const entry = owner.entries.get(`.${specifier.slice(owner.name.length)}`)
  return entry === undefined ? { kind: 'not_exported', owner } : { kind: 'file', path: entry }
}

/** One import of a file: import, export-from, `import()` or `import('x').T`. */
export interface FoundImport {
  /** As written; `null` if it is computed. */
  readonly specifier: string | null
  /** 1 for the first line. */
  readonly line: number
  /** Erased at run time. */
  readonly typeOnly: boolean
  /** `import()`: loaded only when the line runs. */
  readonly lazy: boolean
}

interface ScannedSource {
  readonly imports: readonly FoundImport[]
  /** Lines that read the process environment. */
  readonly environmentReads: readonly number[]
}

const isTypeOnly = (node: ImportDeclaration): boolean =>
  node.importKind === 'type' ||
  (node.specifiers.length > 0 &&
    node.specifiers.every((each) => each.type === 'ImportSpecifier' && each.importKind === 'type'))

/** Returns a function that maps an offset to its line, 1 for the first. */
function createLineCounter(source: string): (offset: number) => number {
  const breaks = [...source.matchAll(/\n/g)].map((match) => match.index)
  return (offset) => 1 + breaks.filter((index) => index < offset).length
}

/** Finds the imports of a TypeScript source with a real parser, so comments and strings don't count. */
function scanSource(file: string, source: string): ScannedSource {
  const lineOf = createLineCounter(source)
  const imports: FoundImport[] = []
  const environmentReads: number[] = []
  const add = (specifier: string | null, start: number, kind: { typeOnly?: boolean; lazy?: boolean } = {}): void => {
    imports.push({ specifier, line: lineOf(start), typeOnly: kind.typeOnly ?? false, lazy: kind.lazy ?? false })
  }
  new Visitor({
    ImportDeclaration(node) {
      add(node.source.value, node.start, { typeOnly: isTypeOnly(node) })
      const isProcess = node.source.value === 'node:process' || node.source.value === 'process'
      if (isProcess && /\benv\b/.test(source.slice(node.start, node.end))) environmentReads.push(lineOf(node.start))
    },
    ExportNamedDeclaration(node) {
      if (node.source) add(node.source.value, node.start, { typeOnly: node.exportKind === 'type' })
    },
    ExportAllDeclaration(node) {
      add(node.source.value, node.start, { typeOnly: node.exportKind === 'type' })
    },
    TSImportType(node) {
      add(node.source.value, node.start, { typeOnly: true })
    },
    ImportExpression(node) {
      const specifier =
        node.source.type === 'Literal' && typeof node.source.value === 'string' ? node.source.value : null
      add(specifier, node.start, { lazy: true })
    },
    MemberExpression(node) {
      if (/^(globalThis\.)?process\??\.?\[?['"]?env['"]?\]?$/.test(source.slice(node.start, node.end))) {
        environmentReads.push(lineOf(node.start))
      }
    },
    VariableDeclarator(node) {
      const fromProcess = node.init?.type === 'Identifier' && node.init.name === 'process'
      if (fromProcess && /\benv\b/.test(source.slice(node.id.start, node.id.end)))
        environmentReads.push(lineOf(node.start))
    },
  }).visit(parseSync(file, source, { lang: file.endsWith('.tsx') ? 'tsx' : 'ts' }).program)
  return { imports, environmentReads }
}

/** Extracts the TypeScript snippets of a Markdown page as one source in which every line keeps its number. */
function extractSnippets(markdown: string): string {
  let inside = false
  const kept = markdown.split('\n').map((line) => {
    const fence = /^\s*```(.*)$/.exec(line)
    if (!fence) return inside ? line : ''
    inside = !inside && /^(ts|typescript)\b/.test((fence[1] ?? '').trim())
    return ''
  })
  return kept.join('\n')
}
