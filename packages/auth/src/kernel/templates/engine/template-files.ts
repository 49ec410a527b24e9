import { accessSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Liquid, LiquidOptions, Template } from 'liquidjs'

/** The package's own templates; their extension is `html` (and `txt`) whatever the project's is. */
const PACKAGE_TEMPLATES = fileURLToPath(new URL('../../../../templates', import.meta.url))

/** Where templates of one kind are found. */
export interface TemplateFiles {
  /** In the order of looking. */
  readonly folders: readonly string[]
  /** Of the project's files, without a dot. */
  readonly extension: string
  /** Path of a template, `null` when no folder has it. Asked once per name. */
  find(name: string): string | null
  /** A template, read and parsed once. @throws {Error} when there is none, or it has a fault */
  parsed(name: string, liquid: Liquid): Template[]
  /** Name of the template in the file `path`: relative to its folder, without extension. */
  nameOf(path: string | undefined): string
  readonly fs: NonNullable<LiquidOptions['fs']>
}

/** A project that has one base for all pages of a module means both kinds of them. */
const BASE = /^(?<base>(?:account|socialaccount)\/base)_(?:entrance|manage)$/
const NAME = /^[\w-]+(?:\/[\w-]+)*$/

/** @param reload Looks for files anew every time: while somebody writes them. */
export function templateFiles(
  projectFolders: readonly string[],
  extension: string,
  packageExtension: string,
  reload: boolean,
): TemplateFiles {
  const folders = [...projectFolders, PACKAGE_TEMPLATES]
  const found = new Map<string, string | null>()
  const templates = new Map<string, Template[]>()
  const resolve = (folder: string, name: string): string =>
    folder === PACKAGE_TEMPLATES ? pathOf(folder, name, packageExtension) : projectPath(folder, name, extension)
  const look = (name: string): string | null => {
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
      const path = look(name)
      found.set(name, path)
      return path
    },
    parsed(name, liquid) {
      const known = templates.get(name)
      if (known !== undefined && !reload) return known
      const parsed = liquid.parseFileSync(name)
      templates.set(name, parsed)
      return parsed
    },
    nameOf: (path) => nameWithin(folders, path),
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

/** Keeps every name within its folder: no dots, no leading slash. @throws {Error} for what is no name */
function pathOf(folder: string, name: string, extension: string): string {
  if (!NAME.test(name)) throw new Error(`"${name}" is not the name of a template.`)
  return join(folder, `${name}.${extension}`)
}

function projectPath(folder: string, name: string, extension: string): string {
  const path = pathOf(folder, name, extension)
  const base = BASE.exec(name)?.groups?.['base']
  if (base === undefined || exists(path)) return path
  const basePath = pathOf(folder, base, extension)
  return exists(basePath) ? basePath : path
}

function nameWithin(folders: readonly string[], path: string | undefined): string {
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
