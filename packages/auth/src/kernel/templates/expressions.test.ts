import { Drop, Liquid, toPromise, Value } from 'liquidjs'
import { describe, expect, it } from 'vitest'
import { compileValue, PageContext } from './expressions.ts'
import { isUnfinished, runGenerator } from './render-state.ts'

const liquid = new Liquid({ jsTruthy: true, ownPropertyOnly: true, groupedExpressions: true })

class Dozen extends Drop {
  override valueOf(): number {
    return 12
  }
}

const VALUES: Readonly<Record<string, unknown>> = {
  text: 'abc',
  word: 'abc',
  none: null,
  zero: 0,
  seven: 7,
  yes: true,
  no: false,
  list: ['a', 'b'],
  blank_list: [],
  dozen: new Dozen(),
  call: () => 'called',
  nested: { text: 'abc', list: [{ name: 'n' }], 'two words': 2, call: () => 'called' },
}
/** The same values, each a promise. */
const PROMISES = Object.fromEntries(Object.entries(VALUES).map(([name, value]) => [name, Promise.resolve(value)]))

const createContext = (globals: object) => new PageContext({}, liquid.options, { globals, sync: true }, { liquid })

const OPERANDS = [
  'text',
  'word',
  'none',
  'missing',
  'zero',
  'seven',
  'yes',
  'no',
  'list',
  'blank_list',
  'dozen',
  'blank',
]
const OPERATORS = ['==', '!=', '>', '<', '>=', '<=', 'contains', 'and', 'or']
const EXPRESSIONS = [
  ...OPERANDS.flatMap((left) =>
    OPERATORS.flatMap((operator) => OPERANDS.map((right) => `${left} ${operator} ${right}`)),
  ),
  ...OPERANDS.map((operand) => `not ${operand}`),
  '"a" == text',
  'yes and no or yes',
  'not no and text == "abc"',
  '(no or yes) and seven > 3',
  'call',
  '(1..3)',
  'nested.text',
  'nested["two words"]',
  'nested[text]',
  'nested.list[0].name',
  'nested.call',
  'missing.more',
  'text.size',
  'list.size',
  'list.first',
  'list.last',
  'list[1]',
  'none.size',
  'nested.list.first.name',

  'missing | default: text',
  'text | append: word | upcase',
  'list | join: text',
  'no | default: 1, allow_false: yes',

  'missing | default: (text | upcase)',
  'text | no_such_filter',
]

describe('a compiled expression', () => {
  it.each([
    ['values', VALUES],
    ['promises', PROMISES],
  ])('has the value that LiquidJS gives it, from %s', async (_kind, globals) => {
    for (const expression of EXPRESSIONS) {
      const value = new Value(expression, liquid)
      const expected: unknown = await toPromise(value.value(createContext(globals)))
      const result = compileValue(value)(createContext(globals))
      const finished = isUnfinished(result)
        ? await runGenerator(
            (function* () {
              return yield result
            })(),
          )
        : result
      expect([expression, finished]).toEqual([expression, expected])
    }
  })
  it('calls a function of the context once', async () => {
    let calls = 0
    const load = () => Promise.resolve(++calls)
    const result = compileValue(new Value('host.load == 1 and text | append: host.text', liquid))(
      createContext({ host: { load, text: 'x' }, text: 'abc' }),
    )
    await runGenerator(
      (function* () {
        return yield result
      })(),
    )
    expect(calls).toBe(1)
  })
  it('sees the innermost variable, until its scope ends', () => {
    const context = createContext({ name: 'page' })
    const read = compileValue(new Value('name', liquid))
    context.push({ name: 'loop' })
    expect(read(context)).toBe('loop')
    expect(read(context.spawn({ name: 'element' }))).toBe('element')
    context.pop()
    expect(read(context)).toBe('page')
    expect(read(context.spawn())).toBe('page')
  })
})
