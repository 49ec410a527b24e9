import type { Context, TagToken } from 'liquidjs'
import type { DirectValues, Read } from './direct-values.ts'

/** What stands in a tag after its name. */
export interface TagArguments {
  /** Values without a name, in front. */
  readonly positional: readonly Read[]
  /** `name=value`; `true` for a name alone. */
  readonly named: ReadonlyMap<string, Read>
  /** The variable of `… as name`. */
  readonly variable: string | null
  /** Ends with a slash: the tag has no body. */
  readonly closed: boolean
}

/**
 * Reads `value … name=value … as variable /`; commas between are allowed, and a colon for the equals sign.
 * @param positional How many values without a name there may be in front.
 */
export function readArguments(values: DirectValues, token: TagToken, positional: number): TagArguments {
  const reader = token.tokenizer
  const unnamed: Read[] = []
  while (unnamed.length < positional) {
    reader.skipBlank()
    const value = reader.end() || reader.peek() === '/' ? undefined : reader.readValue()
    if (!value) break
    unnamed.push(values.argument(value))
  }
  const named = new Map<string, Read>()
  let variable: string | null = null
  for (;;) {
    reader.skipBlank()
    if (reader.peek() === ',') {
      reader.advance()
      continue
    }
    if (reader.end()) return { positional: unnamed, named, variable, closed: false }
    if (reader.remaining().trim() === '/') return { positional: unnamed, named, variable, closed: true }
    const name = reader.readNonEmptyIdentifier()?.content
    reader.assert(name, 'expected name=value')
    const value = readValue(values, token)
    if (name === 'as' && value === null) {
      variable = reader.readNonEmptyIdentifier()?.content ?? null
      reader.assert(variable, 'expected the name of a variable after "as"')
    } else named.set(name ?? '', value ?? alone)
  }
}

/** The value after `=` or `:`; `null` when there is no such sign. */
function readValue(values: DirectValues, { tokenizer: reader }: TagToken): Read | null {
  reader.skipBlank()
  if (reader.peek() !== '=' && reader.peek() !== ':') return null
  reader.advance()
  const value = reader.readValue()
  reader.assert(value, 'expected a value')
  return value ? values.argument(value) : null
}

const alone: Read = () => true

/** The named arguments as they are now. */
export function evaluateNamed(named: TagArguments['named'], ctx: Context): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, read] of named) values[name] = read(ctx)
  return values
}
