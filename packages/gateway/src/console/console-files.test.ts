import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { consoleFiles } from './console-files.ts'

it('hands out the page of a build that has taken the place of another, and what was asked of the other one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-build-'))
  const build = async (name: string): Promise<void> => {
    await rm(folder, { recursive: true })
    await mkdir(join(folder, 'console', 'assets'), { recursive: true })
    await writeFile(join(folder, 'index.html'), `<base href="/" /><script src="console/assets/${name}.js"></script>`)
    await writeFile(join(folder, 'console', 'assets', `${name}.js`), name)
  }
  try {
    await build('old-1')
    const files = consoleFiles(pathToFileURL(`${folder}/`))
    expect(files.page('/console/')).toContain('old-1.js')
    expect(await files.asset('old-1.js', '')).not.toBeNull()
    await build('new-2')
    expect(files.page('/console/')).toContain('new-2.js')
    expect(await files.asset('new-2.js', '')).not.toBeNull()
    expect(await files.asset('old-1.js', '')).not.toBeNull()
  } finally {
    await rm(folder, { recursive: true })
  }
})
