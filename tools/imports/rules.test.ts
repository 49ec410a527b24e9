import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { checkTree } from './rules.ts'
import { readTree } from './tree.ts'

const PACKAGES = Object.fromEntries(
  ['sql', 'openapi', 'auth', 'channels', 'emulators', 'gateway', 'console'].map((name) => [
    `packages/${name}/package.json`,
    JSON.stringify({
      name: `@gatepost/${name}`,
      exports: {
        '.': './src/index.ts',
        ...(name === 'sql' && { './testing': './src/testing.ts' }),
        ...(name === 'auth' && { './client': './src/client.ts' }),
      },
    }),
  ]),
)
const SOUND = {
  'packages/sql/src/index.ts': `export { open } from './open.ts'`,
  'packages/sql/src/index.test.ts': `import { open } from './index.ts'`,
  'packages/sql/src/open.ts': `export const open = 1`,
  'packages/sql/src/testing.ts': `import { open } from './open.ts'`,
  'packages/channels/src/index.ts': `export { send } from './send.ts'`,
  'packages/channels/src/send.ts': `import { open } from '@gatepost/sql'\nimport { all } from './platforms/registry.ts'`,
  'packages/channels/src/send.test.ts': `import { fake } from '@gatepost/emulators'\nimport { db } from '@gatepost/sql/testing'`,
  'packages/channels/src/platforms/registry.ts': `export { telegram } from './telegram/platform.ts'`,
  'packages/channels/src/platforms/telegram/platform.ts': `import './decode.ts'\nimport '../wire/json.ts'`,
  'packages/channels/src/platforms/wire/json.ts': ``,
  'packages/channels/src/platforms/telegram/decode.ts': ``,
  'packages/emulators/src/index.ts': `import { Hono } from 'hono'`,
  'packages/gateway/src/index.ts': `process.env.HOME`,
  'packages/gateway/src/cli/commands/demo.ts': `export const run = () => import('@gatepost/emulators')`,
  'packages/auth/src/mfa/mfa.ts': `import '../account/account.ts'`,
  'packages/openapi/src/index.ts': ``,
  'packages/auth/src/account/account.ts': `import '@gatepost/openapi'`,
  'packages/auth/src/client.ts': ``,
  'packages/console/src/page.ts': `import type { Routes } from '@gatepost/gateway'\nimport '@gatepost/auth/client'`,
  'bench/load.ts': `import { fake } from '@gatepost/emulators'\nimport { db } from '@gatepost/sql/testing'`,
  'examples/hono/server.ts': `import { open } from '@gatepost/sql'`,
  'docs/use.md': "# Use\n```ts\nimport { send } from '@gatepost/channels'\n```\n",
}

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

function check(files: Readonly<Record<string, string>>): readonly string[] {
  const root = mkdtempSync(join(tmpdir(), 'imports-'))
  folders.push(root)
  for (const [path, text] of Object.entries({ ...PACKAGES, ...SOUND, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return checkTree(readTree(root)).map(({ file, line, rule }) => `${file}:${line}: ${rule}`)
}

const broken: readonly [why: string, file: string, text: string, rule: string, line?: number][] = [
  ['channels imports auth', 'packages/channels/src/a.ts', `\nimport '@gatepost/auth'`, 'arrow', 2],
  [
    'channels imports a type of gateway',
    'packages/channels/src/a.ts',
    `import type { G } from '@gatepost/gateway'`,
    'arrow',
  ],
  ['channels names a type of gateway', 'packages/channels/src/a.ts', `type T = import('@gatepost/gateway').T`, 'arrow'],
  ['sql re-exports channels', 'packages/sql/src/a.ts', `export * from '@gatepost/channels'`, 'arrow'],
  ['sql loads channels', 'packages/sql/src/a.ts', `await import('@gatepost/channels')`, 'arrow'],
  ['openapi imports sql', 'packages/openapi/src/a.ts', `import '@gatepost/sql'`, 'arrow'],
  ['channels import openapi', 'packages/channels/src/a.ts', `import '@gatepost/openapi'`, 'arrow'],
  ['emulators import sql', 'packages/emulators/src/a.ts', `import '@gatepost/sql'`, 'arrow'],
  ['a test of emulators imports sql', 'packages/emulators/src/a.test.ts', `import '@gatepost/sql'`, 'arrow'],
  ['console imports a value', 'packages/console/src/a.ts', `import { type R, r } from '@gatepost/gateway'`, 'arrow'],
  ['console imports channels', 'packages/console/src/a.tsx', `import type { R } from '@gatepost/channels'`, 'arrow'],
  ['the product imports emulators', 'packages/channels/src/a.ts', `import '@gatepost/emulators'`, 'arrow'],
  ['the gateway loads emulators', 'packages/gateway/src/a.ts', `import('@gatepost/emulators')`, 'arrow'],
  [
    'the demo imports emulators at once',
    'packages/gateway/src/cli/commands/demo.ts',
    `import '@gatepost/emulators'`,
    'lazy-emulators',
  ],
  ['the product imports test support', 'packages/channels/src/a.ts', `import '@gatepost/sql/testing'`, 'test-code'],
  ['the product imports a contract suite', 'packages/channels/src/a.ts', `import './b.contract.ts'`, 'test-code'],
  ['its own index', 'packages/channels/src/a.ts', `import './index.ts'`, 'own-index'],
  ['its own name', 'packages/channels/src/a.ts', `import '@gatepost/channels'`, 'own-name'],
  ['a path inside another package', 'packages/gateway/src/a.ts', `import '@gatepost/sql/src/open.ts'`, 'deep-path'],
  ['a relative path into another package', 'packages/gateway/src/a.ts', `import '../../sql/src/open.ts'`, 'deep-path'],
  ['an example imports channels', 'examples/hono/a.ts', `import '@gatepost/channels'`, 'arrow'],
  ['an example takes a deep path', 'examples/hono/a.ts', `import '../../packages/sql/src/open.ts'`, 'deep-path'],
  ['an example reads the environment', 'examples/hono/a.ts', `process.env.PORT`, 'environment'],
  ['bench takes a deep path', 'bench/a.ts', `import '../packages/sql/src/open.ts'`, 'deep-path'],
  ['the kernel of accounts imports a module', 'packages/auth/src/kernel/a.ts', `import '../mfa/mfa.ts'`, 'auth-module'],
  ['a module of accounts imports another', 'packages/auth/src/social/a.ts', `import '../mfa/mfa.ts'`, 'auth-module'],
  ['the core imports a platform', 'packages/channels/src/a.ts', `import './platforms/telegram/decode.ts'`, 'platform'],
  [
    'a platform imports another',
    'packages/channels/src/platforms/discord/a.ts',
    `import '../telegram/decode.ts'`,
    'platform',
  ],
  [
    'the core imports what platforms share',
    'packages/channels/src/a.ts',
    `import './platforms/wire/json.ts'`,
    'platform',
  ],
  [
    'what platforms share imports one of them',
    'packages/channels/src/platforms/wire/a.ts',
    `import '../telegram/decode.ts'`,
    'platform',
  ],
  [
    'channels reads the environment',
    'packages/channels/src/a.ts',
    `const a = 1\nconst b = process.env.B`,
    'environment',
    2,
  ],
  ['by destructuring', 'packages/channels/src/a.ts', `const { env } = process`, 'environment'],
  ['by import', 'packages/channels/src/a.ts', `import { env } from 'node:process'`, 'environment'],
  ['by index', 'packages/channels/src/a.ts', `export const e = process['env']`, 'environment'],
  ['a computed path', 'packages/channels/src/a.ts', 'await import(`./${1}.ts`)', 'computed'],
  ['a file imports itself', 'packages/channels/src/a.ts', `import './a.ts'`, 'cycle'],
  ['a page shows a deep path', 'docs/a.md', "\n```ts\nimport '@gatepost/sql/src/open.ts'\n```", 'deep-path', 3],
]

it('finds nothing in a sound tree', () => {
  expect(check({})).toEqual([])
})

it.each(broken)('%s', (_why, file, text, rule, line = 1) => {
  expect(check({ [file]: text })).toEqual([`${file}:${line}: ${rule}`])
})

it('finds a cycle of types', () => {
  const files = {
    'packages/channels/src/a.ts': `import type { B } from './b.ts'`,
    'packages/channels/src/b.ts': `\nimport { type C } from './c.ts'`,
    'packages/channels/src/c.ts': `export type { A } from './a.ts'`,
    'packages/channels/src/d.ts': `import './a.ts'`,
  }
  expect(check(files)).toEqual(['packages/channels/src/a.ts:1: cycle'])
})

it('is not fooled by comments, strings and other languages', () => {
  const text = [`// import '@gatepost/auth'`, `/* process.env */ const s = "import '@gatepost/auth'; process.env"`]
  const page = "```sh\nimport '@gatepost/sql/deep'\n```\nimport '@gatepost/sql/deep'\n"
  expect(check({ 'packages/channels/src/a.ts': text.join('\n'), 'docs/a.md': page })).toEqual([])
})
