import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const BIN = 'packages/gateway/bin'
/** When preloaded, makes Node look too old. */
const OLD = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`
const MAIN = `
const [command, ...rest]: readonly string[] = process.argv.slice(2)
const on: string = process.versions.node
console.log(JSON.stringify({ rest, old: on.startsWith('20.') }))
if (command === 'exit') process.exitCode = 7
else setInterval(() => 0, 1000)
if (command === 'tidy') process.on('SIGTERM', () => process.exit(3))
console.log('ready')
`

let root: string
const put = (file: string, text: string): void => {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'launcher-'))
  cpSync(join(ROOT, BIN), join(root, BIN), { recursive: true })
  put('old.cjs', OLD)
  put('packages/gateway/package.json', '{ "type": "module" }')
  put('packages/gateway/src/cli/main.ts', MAIN)
  put('node_modules/.package-lock.json', '{}')
})
afterEach(() => {
  rmSync(root, { recursive: true })
})

function installPinned(): void {
  const system = process.platform === 'win32' ? 'win' : process.platform
  const name = `${process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'}-${system}-${process.arch}`
  const folder = join(root, 'node_modules', name, 'bin')
  mkdirSync(folder, { recursive: true })
  symlinkSync(process.execPath, join(folder, process.platform === 'win32' ? 'node.exe' : 'node'))
}

type Child = ChildProcessByStdio<null, Readable, Readable>

function start(
  node: 'old' | 'right',
  ...args: readonly string[]
): { child: Child; text: { out: string; err: string } } {
  const preload = node === 'old' ? ['-r', './old.cjs'] : []
  const { NODE_OPTIONS: _ours, ...env } = process.env
  const child = spawn(process.execPath, [...preload, `${BIN}/gatepost.cjs`, ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const text = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text.out += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text.err += chunk))
  return { child, text }
}

const ended = async (child: Child): Promise<readonly [code: number | null, signal: string | null]> =>
  (await once(child, 'close')) as [number | null, string | null] // the event's arguments

describe.each(['old', 'right'] as const)('under %s Node', (node) => {
  it('runs the command line under the right one, with the arguments and the exit code', async () => {
    installPinned()
    const { child, text } = start(node, 'exit', 'two words', '--flag=$HOME', '')
    expect(await ended(child)).toEqual([7, null])
    expect(text).toEqual({ out: '{"rest":["two words","--flag=$HOME",""],"old":false}\nready\n', err: '' })
  })

  it.each([
    ['tidy', [3, null]],
    ['rough', [null, 'SIGTERM']],
  ])('passes SIGTERM on to a %s end', async (command, end) => {
    installPinned()
    const { child, text } = start(node, command)
    while (!text.out.includes('ready')) await once(child.stdout, 'data')
    child.kill('SIGTERM')
    expect(await ended(child)).toEqual(end)
  })
})

it('says in one sentence what to do when there is no right Node', async () => {
  const { child, text } = start('old', 'exit')
  expect(await ended(child)).toEqual([1, null])
  expect(text).toMatchObject({ out: '' })
  expect(text.err).toMatch(
    /^Gatepost needs Node 26\.10 or a later 26\.x \(this is 20\.20\.2\).*npm ci --include=optional`\.\n$/,
  )
})

it('shows the error of a command line that does not load', async () => {
  put('packages/gateway/src/cli/main.ts', `import './missing.ts'`)
  const { child, text } = start('right')
  expect(await ended(child)).toEqual([1, null])
  expect(text.err).toContain('missing.ts')
})
