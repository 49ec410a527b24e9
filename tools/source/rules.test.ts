import { describe, expect, it } from 'vitest'
import { applyAllowance, checkSources, type Violation } from './rules.ts'

const check = (files: Readonly<Record<string, string>>): readonly string[] =>
  checkSources(new Map(Object.entries(files))).map(
    ({ file, line, rule, message }) => `${file}:${line}: ${rule}: ${message}`,
  )
const FILE = 'packages/auth/src/login/flow.ts'

const documented: readonly [why: string, source: string][] = [
  ['a function', '/** Signs in. */\nexport function signIn() {}'],
  ['several lines', '/**\n * Signs in.\n * @throws never\n */\nexport async function signIn() {}'],
  [
    'a comment for a tool in between',
    '/** Signs in. */\n// oxlint-disable-next-line no-empty\nexport function signIn() {}',
  ],
  [
    'overloads with one comment',
    '/** Signs in. */\nexport function a(x: 1): 1\nexport function a(x: 2): 2\nexport function a(x: any) { return x }',
  ],
  ['what is exported below', '/** Signs in. */\nfunction signIn() {}\nexport { signIn }'],
  ['a re-export', "export { signIn } from './other.ts'\nexport type { A } from './other.ts'"],
  ['what is not exported', 'function signIn() {}\ninterface A {}'],
]
const undocumented: readonly [why: string, source: string, line: number, name: string][] = [
  ['a function', 'export function signIn() {}', 1, 'signIn'],
  ['a constant', '\nexport const a = 1', 2, 'a'],
  ['the second of two constants without a comment', '/** One. */\nexport const a = 1\nexport const b = 2', 3, 'b'],
  ['a class', 'export class A {}', 1, 'A'],
  ['an interface', 'export interface A {}', 1, 'A'],
  ['a type', 'export type A = 1', 1, 'A'],
  ['a comment that is no doc comment', '/* Signs in. */\nexport function signIn() {}', 2, 'signIn'],
  ['a comment for a line', '// Signs in.\nexport function signIn() {}', 2, 'signIn'],
  ['a doc comment further up', '/** Of the file. */\n\nexport function signIn() {}', 3, 'signIn'],
  ['a doc comment of something else', '/** One. */\nconst one = 1\nexport function signIn() {}', 3, 'signIn'],
  ['what is exported below', 'function signIn() {}\nexport { signIn }', 1, 'signIn'],
]

describe('documentation', () => {
  it.each(documented)('accepts %s', (_why, source) => {
    expect(check({ [FILE]: source })).toEqual([])
  })

  it.each(undocumented)('requires it: %s', (_why, source, line, name) => {
    expect(check({ [FILE]: source })).toEqual([`${FILE}:${line}: undocumented: ${name}`])
  })

  it.each([
    'packages/auth/src/flow.test.ts',
    'packages/auth/src/flow.contract.ts',
    'packages/auth/src/testing/world.ts',
    'packages/auth/src/mfa/testing-bench.ts',
    'packages/auth/src/fixtures/a.ts',
    'bench/a.ts',
    'packages/auth/scripts/a.ts',
  ])('asks nothing of %s', (path) => {
    expect(check({ [path]: 'export function textOf() {}' })).toEqual([])
  })

  it('reads components', () => {
    const path = 'packages/console/src/page.tsx'
    expect(check({ [path]: 'export const Page = () => <p>a</p>' })).toEqual([`${path}:1: undocumented: Page`])
  })
})

describe('names', () => {
  it.each([
    ['a function', '\nfunction textOf() {}', 2],
    ['an arrow function', 'const textOf = () => 1', 1],
    ['a method', 'class A {\n  textOf() {}\n}', 2],
    ['a member of an object', 'const a = {\n  textOf: () => 1 }', 2],
    ['a member of an interface', 'interface A {\n  textOf(): string }', 2],
  ])('refuses %s named …Of', (_why, source, line) => {
    expect(check({ [FILE]: source })).toEqual([`${FILE}:${line}: of-name: textOf`])
  })

  it('accepts other names, and data', () => {
    const source = 'function of() {}\nfunction kindOff() {}\nconst partOf = 1\n[1].indexOf(1)'
    expect(check({ [FILE]: source })).toEqual([])
  })
})

describe('folders', () => {
  const folder = (path: string, files: number, name = 'f'): Readonly<Record<string, string>> =>
    Object.fromEntries(Array.from({ length: files }, (_, n) => [`${path}/${name}${n}.ts`, '']))

  it('hold twenty source files at most, tests aside', () => {
    const path = 'packages/auth/src/login'
    const tests = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`${path}/f${n}.test.ts`, '']))
    expect(check({ ...folder(path, 20), ...tests, ...folder(`${path}/deeper`, 5) })).toEqual([])
    expect(check(folder(path, 21))).toEqual([`${path}:1: folder-size: 21 source files, more than 20`])
  })

  it('may hold any number of rows of a table', () => {
    expect(check(folder('packages/auth/src/social/providers', 100))).toEqual([])
  })
})

describe('an allowance', () => {
  const violation = (line: number): Violation => ({
    file: FILE,
    line,
    rule: 'of-name',
    owner: 'auth',
    message: 'textOf',
  })

  it('leaves out what is allowed, and shows all when there is more', () => {
    const two = [violation(1), violation(2)]
    expect(applyAllowance(two, { 'of-name': { auth: 2 } })).toEqual({ violations: [], tooLarge: [] })
    expect(applyAllowance(two, { 'of-name': { auth: 1 } })).toEqual({ violations: two, tooLarge: [] })
    expect(applyAllowance(two, { 'of-name': { sql: 0 } })).toEqual({ violations: two, tooLarge: [] })
  })

  it('must shrink with the count', () => {
    const { tooLarge } = applyAllowance([violation(1)], { 'of-name': { auth: 3 }, undocumented: { sql: 1 } })
    expect(tooLarge).toEqual(['of-name in auth: allowed 3, found 1', 'undocumented in sql: allowed 1, found 0'])
  })
})
