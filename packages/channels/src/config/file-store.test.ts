import { mkdirSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { CredentialStore, StoredChannel } from './credential-store.ts'
import { fileCredentialStore } from './file-store.ts'

const channel = (bot_token: string): StoredChannel => ({ enabled: true, allowedUsers: [], credentials: { bot_token } })

let dataDir: string
let store: CredentialStore
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'gatepost-file-store-'))
  store = fileCredentialStore({ dataDir, exclusive: (work) => work() })
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

const folder = (): string => path.join(dataDir, 'accounts', 'owner')
const file = (): string => path.join(folder(), 'channels.yml')
const mode = async (where: string): Promise<number> => (await stat(where)).mode & 0o777
async function write(content: string | Uint8Array): Promise<void> {
  await mkdir(folder(), { recursive: true })
  await writeFile(file(), content)
}

it('knows no accounts and no channels before the first change', async () => {
  expect(await store.accounts()).toEqual([])
  expect(await store.read('owner')).toEqual({})
  expect(await store.revision('owner')).toBe('')
  expect(await readdir(dataDir)).toEqual([])
})

it('keeps file and folder to their owner, also when they were open before', async () => {
  await write('telegram:\n  bot_token: old\n')
  await chmod(folder(), 0o755)
  await chmod(file(), 0o644)
  await store.change('owner', 'telegram', () => channel('new'))
  expect([await mode(folder()), await mode(file())]).toEqual([0o700, 0o600])
  expect(await store.read('owner')).toEqual({ telegram: channel('new') })
})

it('makes every folder and file closed to others from the start', async () => {
  await store.change('owner', 'telegram', () => channel('new'))
  expect([await mode(path.join(dataDir, 'accounts')), await mode(folder()), await mode(file())]).toEqual([
    0o700, 0o700, 0o600,
  ])
})

it('takes no notice of what a process left that died while it wrote, and clears it away', async () => {
  await write('telegram:\n  bot_token: old\n')
  await writeFile(`${file()}.partial`, 'telegram:\n  bot_tok')
  expect(await store.read('owner')).toEqual({ telegram: channel('old') })
  await store.change('owner', 'telegram', () => channel('new'))
  expect(await readdir(folder())).toEqual(['channels.yml'])
})

it('changes its revision with every change and every edit by hand', async () => {
  const seen = new Set<string>()
  const look = async (): Promise<void> => void seen.add(await store.revision('owner'))
  await look()
  await store.change('owner', 'telegram', () => channel('a'))
  await look()
  await store.change('owner', 'telegram', () => channel('b'))
  await look()
  await writeFile(file(), 'telegram:\n  bot_token: c\n')
  await look()
  await rm(folder(), { recursive: true })
  await look()
  expect(seen.size).toBe(4)
})

it('leaves the file as it is when the change refuses', async () => {
  await write('telegram:   # spaced\n  bot_token: old\n')
  const refusing = store.change('owner', 'telegram', () => {
    throw new Error('refused')
  })
  await expect(refusing).rejects.toThrow('refused')
  expect(await readFile(file(), 'utf8')).toBe('telegram:   # spaced\n  bot_token: old\n')
})

it.each<[why: string, content: string | Uint8Array, place: object]>([
  ['broken YAML', 'telegram:\n  bot_token: "s3cret\n', { line: 3, column: 1 }],
  [
    'another encoding',
    Buffer.from('telegram:\n  bot_token: s3cret\n  a: caf\u00e9\n', 'latin1'),
    { line: 3, column: 1 },
  ],
  ['UTF-16', Buffer.from('\uFEFFtelegram: {bot_token: s3cret}', 'utf16le'), { line: 1, column: 1 }],
  ['a character cut off at the end', Buffer.from('telegram: {a: é}').subarray(0, 15), { line: 1, column: 1 }],
  ['a huge file', `# ${'s3cret'.repeat(1_000_000)}`, {}],
])('never overwrites %s, and repeats none of it', async (_why, content, place) => {
  await write(content)
  const expected = {
    code: 'config_broken',
    status: 503,
    details: place,
    message: expect.not.stringContaining('s3cret') as unknown,
  }
  await expect(store.read('owner')).rejects.toMatchObject(expected)
  await expect(store.change('owner', 'telegram', () => channel('new'))).rejects.toMatchObject(expected)
  expect((await readFile(file())).equals(Buffer.from(content))).toBe(true)
  expect(await readdir(folder())).toEqual(['channels.yml'])
  await write('telegram:\n  bot_token: mended\n')
  expect(await store.read('owner')).toEqual({ telegram: channel('mended') })
})

it('does not write a file that it would not read', async () => {
  await store.change('owner', 'telegram', () => channel('old'))
  const huge = store.change('owner', 'telegram', () => channel('x'.repeat(5_000_000)))
  await expect(huge).rejects.toMatchObject({ code: 'config_unwritable', status: 503 })
  expect(await store.read('owner')).toEqual({ telegram: channel('old') })
})

it('says why the file cannot be written, and leaves nothing behind', async () => {
  const unwritable = store.change('owner', 'telegram', () => {
    mkdirSync(path.join(file(), 'in the way'), { recursive: true })
    return channel('s3cret')
  })
  await expect(unwritable).rejects.toMatchObject({
    code: 'config_unwritable',
    status: 503,
    message: expect.stringMatching(/Couldn't write .*channels\.yml: E[A-Z]+\.$/) as unknown,
  })
  expect(await readdir(folder())).toEqual(['channels.yml'])
})

it.skipIf(process.getuid?.() === 0)('says that a read-only folder cannot be written to', async () => {
  await store.change('owner', 'telegram', () => channel('old'))
  await chmod(path.join(dataDir, 'accounts'), 0o500)
  const elsewhere = store.change('other', 'telegram', () => channel('new'))
  await expect(elsewhere).rejects.toMatchObject({ code: 'config_unwritable', status: 503 })
  await chmod(path.join(dataDir, 'accounts'), 0o700)
})

it.each(['a folder in its place', 'a file in place of its folder'])('does not read %s', async (what) => {
  if (what.startsWith('a folder')) await mkdir(file(), { recursive: true })
  else await writeFile(path.join(dataDir, 'accounts'), '')
  await expect(store.read('owner')).rejects.toMatchObject({ code: 'config_broken', status: 503 })
  await expect(store.change('owner', 'telegram', () => channel('new'))).rejects.toMatchObject({ code: 'config_broken' })
})

it.each([['..'], ['.'], [''], ['a/b'], ['../../etc'], ['a\\b'], ['a\0b'], ['é'], ['x'.repeat(65)], ['a.b']])(
  'does not make a path of the account id %j',
  async (accountId) => {
    for (const work of [
      () => store.read(accountId),
      () => store.revision(accountId),
      () => store.change(accountId, 'telegram', () => channel('x')),
    ]) {
      await expect((async () => work())()).rejects.toMatchObject({ code: 'config_unwritable' })
    }
    expect(await readdir(dataDir)).toEqual([])
  },
)

it('lists accounts and nothing that stands beside them', async () => {
  await store.change('owner', 'telegram', () => channel('a'))
  await store.change('5d9e', 'telegram', () => channel('b'))
  await mkdir(path.join(dataDir, 'accounts', 'lost+found'))
  await writeFile(path.join(dataDir, 'accounts', 'notes'), '')
  expect((await store.accounts()).toSorted()).toEqual(['5d9e', 'owner'])
})
