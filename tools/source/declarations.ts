import { type Comment, parseSync, type Program, type Statement, Visitor } from 'oxc-parser'

/** A declaration that breaks a rule. */
export interface FoundName {
  readonly name: string
  /** 1 for the first line. */
  readonly line: number
}

/** Returns the exported declarations of a module without a doc comment directly above; re-exports don't count. */
export function findUndocumentedExports(file: string, source: string): readonly FoundName[] {
  const { program, comments } = parseSync(file, source)
  const documented = new Map<string, { readonly start: number; readonly documented: boolean }>()
  const note = (name: string, start: number): void => {
    const known = documented.get(name)
    const isDocumented = hasDocComment(start, comments, source)
    if (known === undefined || isDocumented) documented.set(name, { start, documented: isDocumented })
  }
  const exportedLater = localExports(program)
  for (const statement of program.body) {
    const isExport = statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportDefaultDeclaration'
    const declaration = isExport ? statement.declaration : statement
    if (declaration === null) continue
    for (const name of declaredNames(declaration)) if (isExport || exportedLater.has(name)) note(name, statement.start)
  }
  return [...documented]
    .filter(([, each]) => !each.documented)
    .map(([name, { start }]) => ({ name, line: toLine(source, start) }))
}

/** The names that `export { a, b }` exports from among the declarations of the module. */
function localExports({ body }: Program): ReadonlySet<string> {
  const names = body.flatMap((statement) =>
    statement.type === 'ExportNamedDeclaration' && statement.source === null
      ? statement.specifiers.map(({ local }) => ('name' in local ? local.name : local.value))
      : [],
  )
  return new Set(names)
}

function declaredNames(declaration: Statement | object): readonly string[] {
  const { id, declarations } = declaration as {
    readonly id?: { readonly name?: string } | null
    readonly declarations?: readonly { readonly id: { readonly name?: string } }[]
  } // of every kind of declaration
  const ids = declarations?.map((each) => each.id) ?? (id ? [id] : [])
  return ids.flatMap(({ name }) => (name === undefined ? [] : [name]))
}

/** Whether a doc comment ends right above `start`; comments for a line may stand between. */
function hasDocComment(start: number, comments: readonly Comment[], source: string): boolean {
  const above = comments.findLast((comment) => comment.end <= start && comment.type === 'Block')
  if (above === undefined || !above.value.startsWith('*')) return false
  const between = source.slice(above.end, start).replaceAll(/\/\/.*/g, '//')
  return /^\s*(\/\/\s*)*$/.test(between) && !/\n\s*\n/.test(between)
}

/** The line of an offset, 1 for the first. */
const toLine = (source: string, offset: number): number => source.slice(0, offset).split('\n').length

/** Returns the functions and methods named `somethingOf`: the name doesn't tell what they do. */
export function findOfFunctions(file: string, source: string): readonly FoundName[] {
  const found: FoundName[] = []
  const note = (node: { readonly type: string; readonly start: number; readonly name?: unknown } | null): void => {
    if (node?.type !== 'Identifier' || typeof node.name !== 'string' || !/[a-z0-9]Of$/.test(node.name)) return
    found.push({ name: node.name, line: toLine(source, node.start) })
  }
  new Visitor({
    FunctionDeclaration: ({ id }) => note(id),
    TSDeclareFunction: ({ id }) => note(id),
    VariableDeclarator({ id, init }) {
      if (init?.type === 'ArrowFunctionExpression' || init?.type === 'FunctionExpression') note(id)
    },
    MethodDefinition: ({ key }) => note(key),
    TSMethodSignature: ({ key }) => note(key),
    Property({ key, value }) {
      if (value.type === 'ArrowFunctionExpression' || value.type === 'FunctionExpression') note(key)
    },
  }).visit(parseSync(file, source).program)
  return found
}
