import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Expression, type ObjectExpression, parseSync, Visitor } from 'oxc-parser'

const PACKAGE = fileURLToPath(new URL('../../', import.meta.url))

/** A text that visitors see, and a file that contains it. */
export type VisibleTexts = ReadonlyMap<string, string>

/** Returns every English text in the package's templates and sources that visitors see. */
export function visibleTexts(): VisibleTexts {
  const texts = new Map<string, string>()
  for (const path of files('templates')) {
    for (const text of textsOfTemplate(readFileSync(path, 'utf8'))) texts.set(text, relative(PACKAGE, path))
  }
  for (const path of files('src').filter((path) => path.endsWith('.ts') && !INTERNAL.test(path))) {
    for (const text of textsOfSource(path, readFileSync(path, 'utf8'))) texts.set(text, relative(PACKAGE, path))
  }
  return texts
}

const files = (folder: string): readonly string[] =>
  readdirSync(join(PACKAGE, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ['.html', '.txt', '.ts'].includes(extname(entry.name)))
    .map(({ parentPath, name }) => join(parentPath, name))

/** Files without texts for visitors. */
const INTERNAL = /\.test\.ts$|\/src\/(?:testing|kernel\/settings|kernel\/mail|client|headless\/description)\//

const TAG = /\{%-?\s*t\s+(?:'([^']*)'|"([^"]*)")/g
const FILTER = /(?:'([^']*)'|"([^"]*)")\s*\|\s*t\b/g

/** Returns the literals in uses of the `t` tag and filter. */
export function textsOfTemplate(source: string): readonly string[] {
  return [TAG, FILTER].flatMap((pattern) => Array.from(source.matchAll(pattern), ([, a, b]) => a ?? b ?? ''))
}

/** Properties with visible text, of fields, errors, and reauthentication methods. */
const SHOWN_PROPERTIES = new Set(['label', 'helpText', 'placeholder', 'message', 'description'])
/** Constants and properties whose object contains only visible texts. */
const SHOWN_OBJECTS = /messages$/i
/** Matches a sentence or a title, but not an identifier, a path, or an input type. */
const PROSE = /^(?:\p{Lu}|\{)/u

/** Returns the texts passed to `t(…)`, and those in fields, errors, and objects of messages. */
export function textsOfSource(path: string, source: string): readonly string[] {
  const { program, errors } = parseSync(path, source)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message ?? ''}`)
  const texts: string[] = []
  const add = (expression: Expression | null | undefined): void => void texts.push(...literals(expression))
  new Visitor({
    CallExpression({ callee, arguments: [first] }) {
      const name = callee.type === 'MemberExpression' && !callee.computed ? callee.property : callee
      if (name.type === 'Identifier' && name.name === 't' && first?.type !== 'SpreadElement') add(first)
    },
    ObjectExpression({ properties }) {
      for (const { name, value } of namedValues(properties)) {
        if (name === 'message' && isInternal(properties)) continue
        if (SHOWN_PROPERTIES.has(name) || SHOWN_OBJECTS.test(name)) add(value)
      }
    },
    VariableDeclarator({ id, init }) {
      if (id.type === 'Identifier' && SHOWN_OBJECTS.test(id.name)) add(init)
    },
  }).visit(program)
  return texts.filter((text) => PROSE.test(text))
}

interface NamedValue {
  readonly name: string
  readonly value: Expression
}

const namedValues = (properties: ObjectExpression['properties']): readonly NamedValue[] =>
  properties.flatMap((property) => {
    if (property.type !== 'Property') return []
    const { key, value } = property
    if (key.type === 'Identifier') return [{ name: key.name, value }]
    return key.type === 'Literal' ? [{ name: String(key.value), value }] : []
  })

/** Returns whether an error's text isn't shown to visitors. */
const isInternal = (properties: ObjectExpression['properties']): boolean =>
  namedValues(properties).some(
    ({ name, value }) => name === 'status' && value.type === 'Literal' && value.value === 500,
  )

/** Returns the texts that an expression can evaluate to. */
function literals(expression: Expression | null | undefined): readonly string[] {
  switch (expression?.type) {
    case 'Literal':
      return typeof expression.value === 'string' ? [expression.value] : []
    case 'TemplateLiteral':
      return expression.expressions.length === 0 ? [expression.quasis[0]?.value.cooked ?? ''] : []
    case 'ConditionalExpression':
      return [...literals(expression.consequent), ...literals(expression.alternate)]
    case 'LogicalExpression':
      return [...literals(expression.left), ...literals(expression.right)]
    case 'BinaryExpression':
      return joinLiterals(expression.left.type === 'PrivateIdentifier' ? null : expression.left, expression.right)
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return literals(expression.expression)
    case 'ObjectExpression':
      return namedValues(expression.properties).flatMap(({ value }) => literals(value))
    default:
      return []
  }
}

/** Joins a text that's split with `+`. */
function joinLiterals(left: Expression | null, right: Expression): readonly string[] {
  const [a] = literals(left)
  const [b] = literals(right)
  return a === undefined || b === undefined ? [] : [a + b]
}
