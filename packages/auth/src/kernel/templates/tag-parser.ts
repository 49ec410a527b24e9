import {
  type Context,
  type Parser,
  type TagToken,
  type Template,
  type Token,
  type TopLevelToken,
  toValue,
} from 'liquidjs'
import { compileToken, type Evaluate } from './expressions.ts'
import { isUnfinished, type Rendering } from './render-state.ts'

/** The arguments of a tag. */
export interface TagArguments {
  /** Leading values without a name. */
  readonly positional: readonly Evaluate[]
  /** `name=value`; a name alone is `true`. */
  readonly named: readonly (readonly [name: string, value: Evaluate])[]
  /** The variable of `… as name`. */
  readonly variable: string | null
  /** Whether the tag ends with a slash, which means that it has no body. */
  readonly isClosed: boolean
}

/**
 * Parses `value … name=value … as variable /`. Commas between arguments are allowed, and a colon for the equals sign.
 * @param maxPositional The maximum number of leading values without a name.
 */
export function parseArguments(token: TagToken, maxPositional: number): TagArguments {
  const reader = token.tokenizer
  const positional: Evaluate[] = []
  while (positional.length < maxPositional) {
    reader.skipBlank()
    const value = reader.end() || reader.peek() === '/' ? undefined : reader.readValue()
    if (!value) break
    positional.push(compileArgument(value))
  }
  const named = new Map<string, Evaluate>()
  let variable: string | null = null
  for (;;) {
    reader.skipBlank()
    if (reader.peek() === ',') {
      reader.advance()
      continue
    }
    const isClosed = reader.remaining().trim() === '/'
    if (isClosed || reader.end()) return { positional, named: [...named], variable, isClosed }
    const name = reader.readNonEmptyIdentifier()?.content
    reader.assert(name, 'expected name=value')
    const value = parseNamedValue(token)
    if (name === 'as' && value === null) {
      variable = reader.readNonEmptyIdentifier()?.content ?? null
      reader.assert(variable, 'expected a variable name after "as"')
    } else named.set(name ?? '', value === null ? () => true : compileArgument(value))
  }
}

/** Parses the value after `=` or `:`; `null` if neither follows. */
function parseNamedValue({ tokenizer: reader }: TagToken): Token | null {
  reader.skipBlank()
  if (reader.peek() !== '=' && reader.peek() !== ':') return null
  reader.advance()
  const value = reader.readValue()
  reader.assert(value, 'expected a value')
  return value ?? null
}

/** Parses everything up to the closing tag. @throws {Error} if it is missing */
export function parseBody(token: TagToken, remaining: TopLevelToken[], parser: Parser, end: string): Template[] {
  const templates: Template[] = []
  for (let next = remaining.shift(); next !== undefined; next = remaining.shift()) {
    if ('name' in next && next.name === end) return templates
    templates.push(parser.parseToken(next, remaining))
  }
  throw new Error(`tag ${token.getText()} not closed`)
}

/** Evaluates the named arguments. */
export function* evaluateNamed(named: TagArguments['named'], ctx: Context): Rendering<Record<string, unknown>> {
  const values: Record<string, unknown> = {}
  for (const [name, read] of named) {
    const value = read(ctx)
    values[name] = isUnfinished(value) ? yield value : value
  }
  return values
}

/** Compiles an argument. A drop such as `blank` is replaced by its value. */
function compileArgument(token: Token): Evaluate {
  const read = compileToken(token)
  function* finish(unfinished: object): Rendering {
    return yield toValue(yield unfinished)
  }
  return (ctx): unknown => {
    const value = read(ctx)
    return isUnfinished(value) ? finish(value) : toValue(value)
  }
}
