import { posix } from 'node:path'
import { findOfFunctions, findUndocumentedExports } from './declarations.ts'

/** A broken rule, to be shown as `file:line: rule: message`. */
export interface Violation {
  readonly file: string
  readonly line: number
  readonly rule: 'undocumented' | 'folder-size' | 'of-name'
  /** The package, e.g. `auth`. */
  readonly owner: string
  readonly message: string
}

/** How many violations of each rule a package may still have. Numbers only ever shrink; the goal is an empty object. */
export type Allowance = Readonly<Partial<Record<Violation['rule'], Readonly<Record<string, number>>>>>

const MAX_FOLDER_FILES = 20
/** Folders whose files are rows of a table: one for each provider, language or operation. */
const DATA_FOLDER = /\/(providers|locales|texts|shapes)$/

/** Whether a file is a test, what only tests use, or test data. */
const isTestFile = (path: string): boolean =>
  /\.(test|contract)\.tsx?$/.test(path) ||
  /(^|\/)(testing|fixtures)\//.test(path) ||
  /(^|\/)testing[^/]*\.ts$/.test(path)

/**
 * Returns where the sources of the packages break the rules on documentation, folders and names.
 * @param files Paths from the root, e.g. `packages/sql/src/open.ts`, with their text.
 */
export function checkSources(files: ReadonlyMap<string, string>): readonly Violation[] {
  const sources = [...files].filter(([path]) => isSource(path))
  const inFiles = sources.flatMap(([file, text]): Violation[] => {
    const owner = toPackage(file)
    return [
      ...findUndocumentedExports(file, text).map(
        ({ name, line }): Violation => ({ file, line, rule: 'undocumented', owner, message: name }),
      ),
      ...findOfFunctions(file, text).map(
        ({ name, line }): Violation => ({ file, line, rule: 'of-name', owner, message: name }),
      ),
    ]
  })
  return [...inFiles, ...checkFolders(sources.map(([path]) => path))]
}

const isSource = (path: string): boolean => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(path) && !isTestFile(path)

const toPackage = (path: string): string => path.split('/')[1] ?? ''

function checkFolders(paths: readonly string[]): readonly Violation[] {
  return [...Map.groupBy(paths, (path) => posix.dirname(path))].flatMap(([folder, { length }]): Violation[] => {
    if (length <= MAX_FOLDER_FILES || DATA_FOLDER.test(folder)) return []
    const message = `${length} source files, more than ${MAX_FOLDER_FILES}`
    return [{ file: folder, line: 1, rule: 'folder-size', owner: toPackage(`${folder}/`), message }]
  })
}

/**
 * Leaves out the violations of packages that have no more of them than they are allowed.
 * @returns the rest, and the allowances that are too large by now
 */
export function applyAllowance(
  violations: readonly Violation[],
  allowance: Allowance,
): { readonly violations: readonly Violation[]; readonly tooLarge: readonly string[] } {
  const count = (rule: Violation['rule'], owner: string): number =>
    violations.filter((each) => each.rule === rule && each.owner === owner).length
  const tooLarge = Object.entries(allowance).flatMap(([rule, owners]) =>
    Object.entries(owners).flatMap(([owner, allowed]) => {
      const found = count(rule as Violation['rule'], owner) // a key of the type
      return found < allowed ? [`${rule} in ${owner}: allowed ${allowed}, found ${found}`] : []
    }),
  )
  return {
    violations: violations.filter(({ rule, owner }) => count(rule, owner) > (allowance[rule]?.[owner] ?? 0)),
    tooLarge,
  }
}
