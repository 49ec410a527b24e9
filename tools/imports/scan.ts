import { parseSync, Visitor, type ImportDeclaration } from 'oxc-parser'

/** One module that a file names: import, export-from, `import()` or `import('x').T`. */
export interface FoundImport {
  /** As written; `null` when it is computed. */
  readonly specifier: string | null
  /** 1 for the first line. */
  readonly line: number
  /** Erased at run time. */
  readonly typeOnly: boolean
  /** `import()`: loaded only when that line runs. */
  readonly lazy: boolean
}

export interface Scanned {
  readonly imports: readonly FoundImport[]
  /** Lines that read the environment of the process. */
  readonly environmentReads: readonly number[]
}

const isTypeOnly = (node: ImportDeclaration): boolean =>
  node.importKind === 'type' ||
  (node.specifiers.length > 0 &&
    node.specifiers.every((each) => each.type === 'ImportSpecifier' && each.importKind === 'type'))

/** The source after each line break before `offset`, counted: the line of `offset`, 1 for the first. */
function lineCounter(source: string): (offset: number) => number {
  const breaks = [...source.matchAll(/\n/g)].map((match) => match.index)
  return (offset) => 1 + breaks.filter((index) => index < offset).length
}

/** Reads what a TypeScript source imports, by a real parser: comments and strings do not count. */
export function scan(file: string, source: string): Scanned {
  const lineOf = lineCounter(source)
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

/** The TypeScript snippets of a Markdown page as one source, in which every line keeps its number. */
export function snippets(markdown: string): string {
  let inside = false
  const kept = markdown.split('\n').map((line) => {
    const fence = /^\s*```(.*)$/.exec(line)
    if (!fence) return inside ? line : ''
    inside = !inside && /^(ts|typescript)\b/.test((fence[1] ?? '').trim())
    return ''
  })
  return kept.join('\n')
}
