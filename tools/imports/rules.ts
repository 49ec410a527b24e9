import { resolveImport, type FoundImport, type SourceFile, type Tree } from './tree.ts'

/** A broken rule, to be shown as `file:line: rule: message`. */
interface Violation {
  readonly file: string
  readonly line: number
  readonly rule: string
  readonly message: string
}

/** The areas that an area may import besides itself. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  sql: [],
  openapi: [],
  auth: ['sql', 'openapi'],
  channels: ['sql'],
  emulators: [],
  gateway: ['auth', 'channels', 'sql', 'openapi'],
  console: ['gateway'],
  examples: ['sql', 'auth'],
  bench: ['sql', 'auth', 'channels', 'emulators', 'gateway'],
  docs: ['sql', 'auth', 'channels', 'emulators', 'gateway'],
  tools: ['sql', 'auth', 'channels', 'emulators', 'gateway'],
}
const MAY_READ_ENVIRONMENT = new Set(['gateway', 'tools', 'bench', 'docs'])
/** Runs in the browser, on any site. */
const AUTH_CLIENT = '@gatepost/auth/client'
const DEMO = 'packages/gateway/src/cli/commands/demo.ts'
const PLATFORM_REGISTRY = 'packages/channels/src/platforms/registry.ts'
/** The folder next to the platforms with what all of them use for their protocols. */
const WIRE = 'wire'

/** Returns `sql` for `packages/sql/src/x.ts`, `bench` for `bench/x.ts`. */
const toArea = (path: string): string => {
  const [top = '', second = ''] = path.split('/')
  return top === 'packages' ? second : top
}

/** Returns whether a file is a test, a suite that every implementation runs, or used only by these. */
const isTestCode = (path: string): boolean =>
  /\.(test|contract)\.tsx?$/.test(path) || /(^|\/)testing\//.test(path) || /(^|\/)testing[^/]*\.ts$/.test(path)

const toPlatform = (path: string): string | null =>
  /^packages\/channels\/src\/platforms\/([^/]+)\//.exec(path)?.[1] ?? null

type BrokenRule = readonly [rule: string, message: string]

function checkArrow(file: SourceFile, found: FoundImport, area: string, target: string): BrokenRule | null {
  if ((ARROWS[area] ?? []).includes(target)) {
    if (area !== 'console' || found.typeOnly) return null
    return ['arrow', `console may import only types from ${target}`]
  }
  if (area === 'console' && found.specifier === AUTH_CLIENT) return null
  if (target === 'emulators' && area !== 'sql') {
    if (isTestCode(file.path)) return null
    if (file.path === DEMO && (found.lazy || found.typeOnly)) return null
    if (file.path === DEMO) return ['lazy-emulators', 'the demo loads the emulators with import() when it runs']
  }
  const allowed = (ARROWS[area] ?? []).join(', ') || 'no other package'
  return ['arrow', `${area} may not import ${target} (it may import ${allowed})`]
}

/** The modules of accounts, besides the kernel; each may also import the modules in its list. */
const AUTH_MODULES: Readonly<Record<string, readonly string[]>> = {
  account: [],
  mfa: ['account'],
  social: ['account'],
  sessions: ['account'],
  oidc: ['account'],
  headless: ['account'],
  admin: ['account'],
}

const toAuthFolder = (path: string): string | null => /^packages\/auth\/src\/([^/]+)\//.exec(path)?.[1] ?? null

/** The kernel imports no module, and a module none but accounts: the others can be deleted or turned off. */
function checkAuthModule(file: SourceFile, path: string): BrokenRule | null {
  const [from, to] = [toAuthFolder(file.path), toAuthFolder(path)]
  if (from === null || to === null || from === to || !(to in AUTH_MODULES) || isTestCode(file.path)) return null
  if (from === 'kernel') return ['auth-module', `the kernel must not import the module ${to}`]
  const allowed = AUTH_MODULES[from]
  if (allowed === undefined || allowed.includes(to)) return null
  return ['auth-module', `the module ${from} must not import the module ${to}`]
}

function checkInside(file: SourceFile, tree: Tree, path: string): BrokenRule | null {
  const own = tree.packages.find(({ folder }) => file.path.startsWith(`${folder}/`))
  const isOwnIndex = own !== undefined && path === own.entries.get('.') && path !== file.path
  if (isOwnIndex && !file.path.endsWith('/index.test.ts')) {
    return ['own-index', 'a package must not import its own index.ts']
  }
  const brokenModule = checkAuthModule(file, path)
  if (brokenModule !== null) return brokenModule
  const platform = toPlatform(path)
  if (platform === null || toPlatform(file.path) === platform || isTestCode(file.path)) return null
  if (platform === WIRE) {
    return toPlatform(file.path) === null ? ['platform', `only platforms import from platforms/${WIRE}/`] : null
  }
  if (file.path === PLATFORM_REGISTRY) return null
  return ['platform', `only ${PLATFORM_REGISTRY} imports from platforms/${platform}/`]
}

/**
 * Loads the engine by a computed path, so that a host's compiler doesn't follow it to the types of an optional library.
 */
const ENGINE_LOADER = 'packages/auth/src/oidc/module.ts'

function checkImport(tree: Tree, file: SourceFile, found: FoundImport): BrokenRule | null {
  const area = toArea(file.path)
  const relative = found.specifier?.startsWith('.') ?? false
  if (found.specifier === null) {
    return isTestCode(file.path) || area === 'tools' || area === 'bench' || file.path === ENGINE_LOADER
      ? null
      : ['computed', 'the path of an import() must be a literal, so that it can be checked']
  }
  const target = resolveImport(tree, file, found)
  if (target.kind === 'foreign') return null
  if (target.kind === 'not_exported') return ['deep-path', `${target.owner.name} does not export this path`]
  const targetArea = toArea(target.path)
  if (relative && targetArea !== area) {
    return area === 'docs' ? null : ['deep-path', 'a relative import must not leave its package']
  }
  if (!relative && targetArea === area) return ['own-name', 'a package must not import itself by name']
  const broken = targetArea === area ? checkInside(file, tree, target.path) : checkArrow(file, found, area, targetArea)
  if (broken !== null) return broken
  const isProduct = file.path.startsWith('packages/') && !isTestCode(file.path)
  if (isProduct && isTestCode(target.path)) return ['test-code', 'only tests may import test code']
  return null
}

function checkCycles(tree: Tree): readonly Violation[] {
  const edges = new Map(
    tree.files.map((file): [string, string[]] => [
      file.path,
      file.imports.flatMap((found) => {
        const target = resolveImport(tree, file, found)
        return target.kind === 'file' ? [target.path] : []
      }),
    ]),
  )
  return findCycles(edges).map((files) => {
    const first = tree.files.find(({ path }) => path === files[0])
    const line = first?.imports.find((found) => {
      const target = resolveImport(tree, first, found)
      return target.kind === 'file' && files.includes(target.path)
    })?.line
    return {
      file: files[0] ?? '',
      line: line ?? 1,
      rule: 'cycle',
      message: `these files import each other: ${files.join(', ')}`,
    }
  })
}

/** Returns every violation of the rules on imports and the environment, in the order of files. */
export function checkTree(tree: Tree): readonly Violation[] {
  const inFiles = tree.files.flatMap((file) => {
    const ofImports = file.imports.flatMap((found): Violation[] => {
      const broken = checkImport(tree, file, found)
      return broken ? [{ file: file.path, line: found.line, rule: broken[0], message: broken[1] }] : []
    })
    if (MAY_READ_ENVIRONMENT.has(toArea(file.path)) || isTestCode(file.path)) return ofImports
    const message = 'only the gateway may read the environment'
    return [
      ...ofImports,
      ...file.environmentReads.map((line) => ({ file: file.path, line, rule: 'environment', message })),
    ]
  })
  return [...inFiles, ...checkCycles(tree)]
}

/**
 * Finds the groups of nodes that reach each other (Tarjan's strongly connected components) and the nodes with an edge to
 * themselves.
 */
function findCycles(edges: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const index = new Map<string, number>()
  const stack: string[] = []
  const onStack = new Set<string>()
  const cycles: string[][] = []
  const visit = (node: string): number => {
    let lowest = index.size
    const own = lowest
    index.set(node, own)
    stack.push(node)
    onStack.add(node)
    for (const next of edges.get(node) ?? []) {
      if (!index.has(next)) lowest = Math.min(lowest, visit(next))
      else if (onStack.has(next)) lowest = Math.min(lowest, index.get(next) ?? lowest)
    }
    if (lowest === own) {
      const group = stack.splice(stack.indexOf(node))
      for (const member of group) onStack.delete(member)
      if (group.length > 1 || (edges.get(node) ?? []).includes(node)) cycles.push(group.toSorted())
    }
    return lowest
  }
  for (const node of edges.keys()) if (!index.has(node)) visit(node)
  return cycles
}
