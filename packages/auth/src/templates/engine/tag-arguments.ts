import type { Context, FilteredValueToken, TagToken, ValueToken } from 'liquidjs'
import type { LiquidLibrary } from './library.ts'

type Value = ValueToken | FilteredValueToken

/** What stands in a tag after its name. */
export interface TagArguments {
  /** Values without a name, in front. */
  readonly positional: readonly Value[]
  /** `name=value`; `true` for a name alone. */
  readonly named: ReadonlyMap<string, Value | true>
  /** The variable of `… as name`. */
  readonly variable: string | null
  /** Ends with a slash: the tag has no body. */
  readonly closed: boolean
}

/**
 * Reads `value … name=value … as variable /`; commas between are allowed, and a colon for the equals sign.
 * @param positional How many values without a name there may be in front.
 */
export function readArguments(token: TagToken, positional: number): TagArguments {
  const reader = token.tokenizer
  const values: Value[] = []
  while (values.length < positional) {
    reader.skipBlank()
    const value = reader.end() || reader.peek() === '/' ? undefined : reader.readValue()
    if (!value) break
    values.push(value)
  }
  const named = new Map<string, Value | true>()
  let variable: string | null = null
  for (;;) {
    reader.skipBlank()
    if (reader.peek() === ',') {
      reader.advance()
      continue
    }
    if (reader.end()) return { positional: values, named, variable, closed: false }
    if (reader.remaining().trim() === '/') return { positional: values, named, variable, closed: true }
    const name = reader.readNonEmptyIdentifier()?.content
    reader.assert(name, 'expected name=value')
    const value = readValue(token)
    if (name === 'as' && value === null) {
      variable = reader.readNonEmptyIdentifier()?.content ?? null
      reader.assert(variable, 'expected the name of a variable after "as"')
    } else named.set(name ?? '', value ?? true)
  }
}

/** The value after `=` or `:`; `null` when there is no such sign. */
function readValue({ tokenizer: reader }: TagToken): Value | null {
  reader.skipBlank()
  if (reader.peek() !== '=' && reader.peek() !== ':') return null
  reader.advance()
  const value = reader.readValue()
  reader.assert(value, 'expected a value')
  return value ?? null
}

/** The named arguments as they are now. */
export function* evaluateNamed(
  library: LiquidLibrary,
  named: TagArguments['named'],
  ctx: Context,
): Generator<unknown, Record<string, unknown>, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, value] of named) {
    values[name] = value === true ? true : yield library.evalTokenValue(value, ctx)
  }
  return values
}

/** One argument as it is now; `undefined` when it was not given. */
export function* evaluate(
  library: LiquidLibrary,
  value: Value | undefined,
  ctx: Context,
): Generator<unknown, unknown, unknown> {
  return value === undefined ? undefined : yield library.evalTokenValue(value, ctx)
}
