import { findCycles } from './cycles.ts'
import { resolve, type SourceFile, type Tree } from './tree.ts'
import type { FoundImport } from './scan.ts'

/** A broken rule, to be shown as `file:line: rule: message`. */
export interface Violation {
  readonly file: string
  readonly line: number
  readonly rule: string
  readonly message: string
}

/** Which areas an area may import, besides itself. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  sql: [],
  auth: ['sql'],
  channels: ['sql'],
  emulators: [],
  gateway: ['auth', 'channels', 'sql'],
  console: ['gateway'],
  examples: ['sql', 'auth'],
  bench: ['sql', 'auth', 'channels', 'emulators', 'gateway'],
  docs: ['sql', 'auth', 'channels', 'emulators', 'gateway'],
  tools: ['sql', 'auth', 'channels', 'emulators', 'gateway'],
}
const MAY_READ_ENVIRONMENT = new Set(['gateway', 'tools', 'bench', 'docs'])
/** What pages of any site use: it runs in a browser. */
const AUTH_CLIENT = '@gatepost/auth/client'
const DEMO = 'packages/gateway/src/cli/commands/demo.ts'
const PLATFORM_REGISTRY = 'packages/channels/src/platforms/registry.ts'
/** The folder beside the platforms that holds what all of them need for their wires. */
const WIRE = 'wire'

/** `sql` for `packages/sql/src/x.ts`, `bench` for `bench/x.ts`. */
const areaOf = (path: string): string => {
  const [top = '', second = ''] = path.split('/')
  return top === 'packages' ? second : top
}

/** Tests, the suites that every implementation runs, and what only they use. */
const isTestCode = (path: string): boolean =>
  /\.(test|contract)\.tsx?$/.test(path) || /(^|\/)testing\//.test(path) || /(^|\/)testing[^/]*\.ts$/.test(path)

const platformOf = (path: string): string | null =>
  /^packages\/channels\/src\/platforms\/([^/]+)\//.exec(path)?.[1] ?? null

type Broken = readonly [rule: string, message: string]

function checkArrow(file: SourceFile, found: FoundImport, area: string, target: string): Broken | null {
  if ((ARROWS[area] ?? []).includes(target)) {
    if (area !== 'console' || found.typeOnly) return null
    return ['arrow', `console may import only types from ${target}`]
  }
  if (area === 'console' && found.specifier === AUTH_CLIENT) return null
  if (target === 'emulators' && area !== 'sql') {
    if (isTestCode(file.path)) return null
    if (file.path === DEMO && (found.lazy || found.typeOnly)) return null
    if (file.path === DEMO) return ['lazy-emulators', 'the demo loads the emulators with import(), when it runs']
  }
  const allowed = (ARROWS[area] ?? []).join(', ') || 'nothing of ours'
  return ['arrow', `${area} may not import ${target} (it may import ${allowed})`]
}

function checkInside(file: SourceFile, tree: Tree, path: string): Broken | null {
  const own = tree.packages.find(({ folder }) => file.path.startsWith(`${folder}/`))
  const isOwnIndex = own !== undefined && path === own.entries.get('.') && path !== file.path
  if (isOwnIndex && !file.path.endsWith('/index.test.ts')) {
    return ['own-index', 'a package does not import its own index.ts']
  }
  const platform = platformOf(path)
  if (platform === null || platformOf(file.path) === platform || isTestCode(file.path)) return null
  if (platform === WIRE) {
    return platformOf(file.path) === null ? ['platform', `only platforms import from platforms/${WIRE}/`] : null
  }
  if (file.path === PLATFORM_REGISTRY) return null
  return ['platform', `only ${PLATFORM_REGISTRY} imports from platforms/${platform}/`]
}

function checkImport(tree: Tree, file: SourceFile, found: FoundImport): Broken | null {
  const area = areaOf(file.path)
  const relative = found.specifier?.startsWith('.') ?? false
  if (found.specifier === null) {
    return isTestCode(file.path) || area === 'tools' || area === 'bench'
      ? null
      : ['computed', 'the path of an import() is written out, so that it can be checked']
  }
  const target = resolve(tree, file, found)
  if (target.kind === 'foreign') return null
  if (target.kind === 'not_exported') return ['deep-path', `${target.owner.name} does not export this path`]
  const targetArea = areaOf(target.path)
  if (relative && targetArea !== area) {
    return area === 'docs' ? null : ['deep-path', 'a relative import does not leave its package']
  }
  if (!relative && targetArea === area) return ['own-name', 'a package does not import itself by name']
  const broken = targetArea === area ? checkInside(file, tree, target.path) : checkArrow(file, found, area, targetArea)
  if (broken !== null) return broken
  const isProduct = file.path.startsWith('packages/') && !isTestCode(file.path)
  if (isProduct && isTestCode(target.path)) return ['test-code', 'only tests import what is written for tests']
  return null
}

function checkCycles(tree: Tree): readonly Violation[] {
  const edges = new Map(
    tree.files.map((file): [string, string[]] => [
      file.path,
      file.imports.flatMap((found) => {
        const target = resolve(tree, file, found)
        return target.kind === 'file' ? [target.path] : []
      }),
    ]),
  )
  return findCycles(edges).map((files) => {
    const first = tree.files.find(({ path }) => path === files[0])
    const line = first?.imports.find((found) => {
      const target = resolve(tree, first, found)
      return target.kind === 'file' && files.includes(target.path)
    })?.line
    return { file: files[0] ?? '', line: line ?? 1, rule: 'cycle', message: `import one another: ${files.join(', ')}` }
  })
}

/** Every place where `tree` breaks the rules on imports and on the environment, in the order of files. */
export function checkTree(tree: Tree): readonly Violation[] {
  const inFiles = tree.files.flatMap((file) => {
    const ofImports = file.imports.flatMap((found): Violation[] => {
      const broken = checkImport(tree, file, found)
      return broken ? [{ file: file.path, line: found.line, rule: broken[0], message: broken[1] }] : []
    })
    if (MAY_READ_ENVIRONMENT.has(areaOf(file.path)) || isTestCode(file.path)) return ofImports
    const message = 'only the gateway reads the environment'
    return [
      ...ofImports,
      ...file.environmentReads.map((line) => ({ file: file.path, line, rule: 'environment', message })),
    ]
  })
  return [...inFiles, ...checkCycles(tree)]
}
