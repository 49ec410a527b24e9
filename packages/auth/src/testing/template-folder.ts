import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A project's template folder. */
export interface TemplateFolder {
  readonly path: string
  /** Writes a template. @param name With extension, e.g. `account/login.html`. */
  write(name: string, source: string): Promise<void>
  remove(): Promise<void>
}

export async function templateFolder(files: Readonly<Record<string, string>> = {}): Promise<TemplateFolder> {
  const path = await mkdtemp(join(tmpdir(), 'gatepost-templates-'))
  const write: TemplateFolder['write'] = async (name, source) => {
    await mkdir(dirname(join(path, name)), { recursive: true })
    await writeFile(join(path, name), source)
  }
  for (const [name, source] of Object.entries(files)) await write(name, source)
  return { path, write, remove: () => rm(path, { recursive: true }) }
}
