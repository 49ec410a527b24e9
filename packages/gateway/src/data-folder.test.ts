import { openDataFolder, ownerToken, ownSecretKeys } from './data-folder.ts'
import { chmod, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gatepost-'))
})
afterEach(() => rm(root, { recursive: true }))

const readMode = async (path: string): Promise<number> => (await stat(path)).mode & 0o777

describe('the data folder', () => {
  it('is made for the owner alone', async () => {
    const folder = join(root, 'a', 'b')
    await openDataFolder(folder)
    expect(await readMode(folder)).toBe(0o700)
  })

  it('is closed when it was open to others', async () => {
    await chmod(root, 0o755)
    await openDataFolder(root)
    expect(await readMode(root)).toBe(0o700)
  })

  it('is closed again with what it holds', async () => {
    await ownerToken(root)
    await chmod(root, 0o755)
    await openDataFolder(root)
    expect(await readMode(root)).toBe(0o700)
  })

  it.each([
    ['that holds other things', 0o755, ['someone-elses']],
    ['that everybody writes to', 0o1777, []],
  ])('is no folder %s: such a one stays as it is', async (_why, mode, files) => {
    for (const file of files) await writeFile(join(root, file), '')
    await chmod(root, mode)
    await expect(openDataFolder(root)).rejects.toThrow(/^GATEPOST_DATA_DIR: Other users can access /)
    expect((await stat(root)).mode & 0o7777).toBe(mode)
  })

  it('names its variable when it cannot be used', async () => {
    await writeFile(join(root, 'file'), '')
    await expect(openDataFolder(join(root, 'file', 'data'))).rejects.toThrow(/^GATEPOST_DATA_DIR: .* \(ENOTDIR\)/)
  })
})

describe.each([
  ['api-token', ownerToken],
  ['secret-key', async (dataDir: string) => (await ownSecretKeys(dataDir))[0]],
])('%s', (name, read) => {
  it('is not there when it could not be synced to disk', async () => {
    const handle = await open(join(root, 'any'), 'w')
    const sync = vi.spyOn(Object.getPrototypeOf(handle) as typeof handle, 'sync') // the class isn't exported
    await handle.close()
    await rm(join(root, 'any'))
    sync.mockRejectedValueOnce(Object.assign(new Error('EIO'), { code: 'EIO' }))
    await expect(read(root)).rejects.toThrow(/\(EIO\)/)
    sync.mockRestore()
    expect(await readdir(root)).toEqual([])
  })

  it('is created once, 0600, and kept', async () => {
    const first = await read(root)
    expect(first.reveal()).toMatch(/^[\w-]{43}$/)
    expect(await readMode(join(root, name))).toBe(0o600)
    expect(await readFile(join(root, name), 'utf8')).toBe(`${first.reveal()}\n`)
    expect((await read(root)).reveal()).toBe(first.reveal())
  })

  it('is the same for all who start together, and leaves nothing behind', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => read(root)))
    expect(new Set(all.map((secret) => secret.reveal())).size).toBe(1)
    expect(await readdir(root)).toEqual([name])
  })

  it('is closed when others could read it', async () => {
    await read(root)
    await chmod(join(root, name), 0o644)
    await read(root)
    expect(await readMode(join(root, name))).toBe(0o600)
  })

  it('is refused when it is damaged, and not replaced', async () => {
    await writeFile(join(root, name), 'half')
    await expect(read(root)).rejects.toThrow(/is damaged\. Delete it/)
    expect(await readFile(join(root, name), 'utf8')).toBe('half')
  })
})

describe('several secret keys', () => {
  const keys = [1, 2].map((byte) => Buffer.alloc(32, byte))
  const written = (lines: readonly string[]): Promise<void> => writeFile(join(root, 'secret-key'), lines.join('\n'))

  it('are read from one line each, in any form of base64', async () => {
    await written([String(keys[0]?.toString('base64url')), '', ` ${keys[1]?.toString('base64')}\r`])
    const read = await ownSecretKeys(root)
    expect(read.map((key) => key.reveal())).toEqual(keys.map((key) => key.toString('base64url')))
  })

  it('are refused if one is damaged', async () => {
    await written([String(keys[0]?.toString('base64url')), 'half'])
    await expect(ownSecretKeys(root)).rejects.toThrow(/is damaged/)
  })
})
