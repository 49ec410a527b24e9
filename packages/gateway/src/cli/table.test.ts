import { expect, it } from 'vitest'
import { table } from './table.ts'
import { type Output, pairs } from './text.ts'

const output = (columns = Number.POSITIVE_INFINITY): Output => ({
  write: () => undefined,
  isTty: false,
  colour: false,
  columns,
})
const COLUMNS = [{ title: 'Id' }, { title: 'Name', flexible: true }, { title: 'Count', align: 'right' }] as const

it('aligns by what a terminal shows', () => {
  const text = table(
    COLUMNS,
    [
      ['42', 'Ann', '7'],
      ['7', '王小明', '1200'],
    ],
    output(),
  )
  expect(text).toBe(['Id   Name     Count', '42   Ann          7', '7    王小明    1200', ''].join('\n'))
})

it('takes from the flexible column what the terminal has not', () => {
  const rows = [['42', 'a very long name that does not fit', '7']]
  const text = table(COLUMNS, rows, output(30))
  expect(text.split('\n')[1]).toBe('42   a very long name…       7')
})

it('pads names of pairs to one width', () => {
  expect(
    pairs(
      [
        ['A', '1'],
        ['Long', { text: '2', paint: (text) => `<${text}>` }],
      ],
      output(),
      '  ',
    ),
  ).toBe('  A      1\n  Long   <2>\n')
})
