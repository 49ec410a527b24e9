import { accessSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LiquidOptions } from 'liquidjs'
import type { Body } from './body.ts'

/** The package's templates. Their extension is `html` or `txt`, whatever the project's is. */
const PACKAGE_TEMPLATES = fileURLToPath(new URL('../../../templates', import.meta.url))

/** Finds, reads and parses the templates of one extension. */
export interface TemplateFiles {
  /** In search order. */
  readonly folders: readonly string[]
  /** Extension of the project's files, without a dot. */
  readonly extension: string
  /** Returns the path of a template, or `null` if no folder has it. Searches once per name. */
  find(name: string): string | null
  /** Returns the compiled template. Compiles it once. @throws {Error} if it is missing or malformed */
  load(name: string, compile: (name: string) => Body): Body
  /** Returns the name of the template at `path`: its path relative to the folder, without extension. */
  templateName(path: string | undefined): string
  readonly fs: NonNullable<LiquidOptions['fs']>
}

/** A project's `account/base` stands for both `account/base_entrance` and `account/base_manage`. */
const BASE = /^(?<base>(?:account|socialaccount)\/base)_(?:entrance|manage)$/
const NAME = /^[\w-]+(?:\/[\w-]+)*$/

/**
 * Searches the project's folders in order, then the package's.
 * @param reload Searches and reads the files every time, for development.
 */
export function createTemplateFiles(
  projectFolders: readonly string[],
  extension: string,
  packageExtension: string,
  reload: boolean,
): TemplateFiles {
  const folders = [...projectFolders, PACKAGE_TEMPLATES]
  const found = new Map<string, string | null>()
  const bodies = new Map<string, Body>()
  const resolve = (folder: string, name: string): string =>
    folder === PACKAGE_TEMPLATES ? joinPath(folder, name, packageExtension) : projectPath(folder, name, extension)
  const search = (name: string): string | null => {
    for (const folder of folders) {
      const path = resolve(folder, name)
      if (exists(path)) return path
    }
    return null
  }
  return {
    folders,
    extension,
    find(name) {
      const known = found.get(name)
      if (known !== undefined && !reload) return known
      const path = search(name)
      found.set(name, path)
      return path
    },
    load(name, compile) {
      const known = bodies.get(name)
      if (known !== undefined && !reload) return known
      const body = compile(name)
      bodies.set(name, body)
      return body
    },
    templateName: (path) => relativeName(folders, path),
    fs: {
      exists: async (path) => exists(path),
      existsSync: exists,
      readFile: async (path) => readFileSync(path, 'utf8'),
      readFileSync: (path) => readFileSync(path, 'utf8'),
      resolve: (folder, name) => resolve(folder, name),
      sep,
      dirname,
    },
  }
}

/** Joins folder and name. Allows no dots and no leading slash. @throws {Error} for an invalid name */
function joinPath(folder: string, name: string, extension: string): string {
  if (!NAME.test(name)) throw new Error(`"${name}" is not a valid template name.`)
  return join(folder, `${name}.${extension}`)
}

function projectPath(folder: string, name: string, extension: string): string {
  const path = joinPath(folder, name, extension)
  const base = BASE.exec(name)?.groups?.['base']
  if (base === undefined || exists(path)) return path
  const basePath = joinPath(folder, base, extension)
  return exists(basePath) ? basePath : path
}

function relativeName(folders: readonly string[], path: string | undefined): string {
  const folder = folders.find((folder) => path?.startsWith(folder + sep))
  if (path === undefined || folder === undefined) return ''
  return relative(folder, path)
    .replaceAll(sep, '/')
    .replace(/\.\w+$/, '')
}

function exists(path: string): boolean {
  try {
    accessSync(path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return false
    throw error
  }
}
