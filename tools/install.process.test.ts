import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const OLD_SYNTAX = [
  'scripts/ensure-install.cjs',
  'scripts/build-console.cjs',
  'scripts/install-lock.cjs',
  'packages/gateway/bin/gatepost.cjs',
  'packages/gateway/bin/pinned-node.cjs',
]
const LOCK = {
  packages: {
    '': { version: '0.1.0' },
    'packages/a': { version: '0.1.0' },
    'node_modules/a': { resolved: 'packages/a', link: true },
    'node_modules/b': { version: '1.0.0', integrity: 'sha512-b' },
    'node_modules/tool': { version: '2.0.0', integrity: 'sha512-t', dev: true },
    'node_modules/other-system': { version: '3.0.0', integrity: 'sha512-o', optional: true },
  },
}
/** A fake npm: records its arguments, takes a while, and writes what npm writes. */
const FAKE_NPM = `
const fs = require('fs')
fs.appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n')
if (fs.existsSync('broken')) { console.error('npm prints why'); process.exit(1) }
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
fs.mkdirSync('node_modules', { recursive: true })
fs.copyFileSync('package-lock.json', 'node_modules/.package-lock.json')
`

/** A fake Vite: records the call and writes a page to the output folder. */
const FAKE_VITE = `
const fs = require('fs')
fs.appendFileSync('../../builds', process.argv[2] + '\\n')
if (fs.existsSync('../../broken-build')) { console.error('Vite prints why'); process.exit(1) }
const out = process.argv[process.argv.indexOf('--outDir') + 1]
fs.mkdirSync(out)
fs.writeFileSync(out + '/index.html', 'the console')
`
const CONSOLE_SOURCES = [
  'index.html',
  'vite.config.ts',
  'package.json',
  'src/main.tsx',
  '../auth/src/headless/client/index.ts',
]

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'install-'))
  for (const file of OLD_SYNTAX) cpSync(join(ROOT, file), join(root, file))
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify(LOCK))
  writeFileSync(join(root, 'npm-cli.js'), FAKE_NPM)
  for (const source of CONSOLE_SOURCES) {
    const file = join(root, 'packages/console', source)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, source)
  }
  mkdirSync(path('node_modules/vite/bin'), { recursive: true })
  writeFileSync(path('node_modules/vite/bin/vite.js'), FAKE_VITE)
})
afterEach(() => {
  rmSync(root, { recursive: true })
})

const path = (file: string): string => join(root, file)
const calls = (): readonly string[] =>
  existsSync(path('calls')) ? readFileSync(path('calls'), 'utf8').trimEnd().split('\n') : []

function installed(packages: object): void {
  writeFileSync(path('node_modules/.package-lock.json'), JSON.stringify({ packages }))
}

async function run(...args: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const env = { ...process.env, npm_execpath: path('npm-cli.js'), npm_node_execpath: process.execPath }
  const child = spawn(process.execPath, ['scripts/ensure-install.cjs', ...args], { cwd: root, env })
  const text = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text.stdout += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text.stderr += chunk))
  const [code] = (await once(child, 'close')) as [number | null] // the event's first argument
  return { code, ...text }
}

const { 'node_modules/a': a, 'node_modules/b': b, 'node_modules/tool': tool } = LOCK.packages
const complete = { 'node_modules/a': a, 'node_modules/b': b, 'node_modules/tool': tool }
const states: readonly [why: string, packages: object | null, args: readonly string[], installs: boolean][] = [
  ['nothing is installed', null, [], true],
  ['everything is installed', complete, ['--dev'], false],
  ['a version differs', { ...complete, 'node_modules/b': { ...b, version: '0.9.0' } }, [], true],
  ['an integrity hash differs', { ...complete, 'node_modules/b': { ...b, integrity: 'sha512-x' } }, [], true],
  ['a workspace is not linked', { 'node_modules/b': b, 'node_modules/tool': tool }, [], true],
  ['an optional development tool is missing', { 'node_modules/a': a, 'node_modules/b': b }, [], false],
  ['a required development tool is missing', { 'node_modules/a': a, 'node_modules/b': b }, ['--dev'], true],
]

describe('ensure-install', () => {
  it.each(states)('when %s', async (_why, packages, args, installs) => {
    if (packages) installed(packages)
    expect(await run(...args)).toMatchObject({ code: 0, stdout: '' })
    const dev = args.length > 0 ? ' --include=dev' : ''
    const call = `ci --include=optional --no-audit --no-fund --loglevel=error${dev}`
    expect(calls()).toEqual(installs ? [call] : [])
  })

  it('installs once when two start at the same time', async () => {
    const results = await Promise.all([run(), run()])
    expect(results.map(({ code }) => code)).toEqual([0, 0])
    expect(calls()).toHaveLength(1)
  })

  it('recovers from an installation that was killed', async () => {
    const killed = spawn(process.execPath, ['-e', ''])
    await once(killed, 'close')
    mkdirSync(path('.cache'))
    writeFileSync(path('.cache/install.lock'), String(killed.pid))
    expect(await run()).toMatchObject({ code: 0 })
    expect(calls()).toHaveLength(1)
  })

  it('shows the output of npm and what to do', async () => {
    writeFileSync(path('broken'), '')
    const { code, stderr } = await run()
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /npm prints why\nCouldn't install the dependencies: see npm's output above\. Run `npm ci` to retry\.\n$/,
    )
    expect(existsSync(path('.cache/install.lock'))).toBe(false)
  })

  it.each([
    ['the lockfile is damaged', 'package-lock.json', '{'],
    ['its cache folder cannot be created', '.cache', 'a file'],
  ])('reports in one sentence that %s', async (_why, file, content) => {
    writeFileSync(path(file), content)
    const { code, stderr } = await run()
    expect(code).toBe(1)
    expect(stderr).toMatch(/^Couldn't install the dependencies: .+\n$/)
  })
})

describe('the web console', () => {
  const builds = (): number =>
    existsSync(path('builds')) ? readFileSync(path('builds'), 'utf8').trimEnd().split('\n').length : 0
  const page = (): string => readFileSync(path('packages/console/dist/index.html'), 'utf8')
  beforeEach(() => installed(complete))

  it('is built once, and again when its sources change', async () => {
    expect(await run()).toMatchObject({ code: 0, stdout: '' })
    expect([builds(), page()]).toEqual([1, 'the console'])
    expect(await run()).toMatchObject({ code: 0, stderr: '' })
    expect(builds()).toBe(1)
    for (const source of CONSOLE_SOURCES) {
      writeFileSync(join(path('packages/console'), source), 'changed')
      expect(await run()).toMatchObject({ code: 0 })
    }
    expect([builds(), calls()]).toEqual([1 + CONSOLE_SOURCES.length, []])
    writeFileSync(path('packages/console/src/main.test.ts'), 'not part of the build')
    await run()
    expect(builds()).toBe(1 + CONSOLE_SOURCES.length)
  })

  it('is built once when several processes start at the same time', async () => {
    const alone = spawn(process.execPath, ['scripts/build-console.cjs'], { cwd: root })
    const [results] = await Promise.all([Promise.all([run(), run()]), once(alone, 'close')])
    expect([...results.map(({ code }) => code), alone.exitCode, builds()]).toEqual([0, 0, 0, 1])
  })

  it('stays unchanged when a build fails, and shows the output of Vite', async () => {
    await run()
    writeFileSync(path('broken-build'), '')
    writeFileSync(path('packages/console/src/main.tsx'), 'broken')
    const { code, stderr } = await run()
    expect([code, page()]).toEqual([1, 'the console'])
    expect(stderr).toMatch(/Vite prints why\nCouldn't build the web console: see the output above\n$/)
    expect(readdirSync(path('packages/console')).filter((name) => name.startsWith('dist-'))).toEqual([])
  })
})

it.each(OLD_SYNTAX)('%s can be read by an old Node', (file) => {
  const modern: string[] = []
  const note = (node: { readonly type: string }): number => modern.push(node.type)
  new Visitor({
    ArrowFunctionExpression: note,
    AwaitExpression: note,
    ClassDeclaration: note,
    ChainExpression: note,
    ForOfStatement: note,
    ImportExpression: note,
    ObjectPattern: note,
    SpreadElement: note,
    TemplateLiteral: note,
    VariableDeclaration: (node) => node.kind === 'var' || note({ type: node.kind }),
    CatchClause: (node) => node.param !== null || note(node),
    LogicalExpression: (node) => node.operator !== '??' || note(node),
    Property: (node) => !(node.shorthand || node.method || node.computed) || note(node),
  }).visit(parseSync(file, readFileSync(join(ROOT, file), 'utf8')).program)
  expect(modern).toEqual([])
})
