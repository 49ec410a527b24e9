import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ACCEPTED, ASKING, fakeSetup, startFakeServer, success, telegramDetails } from '../testing/fake-server.ts'
import { type CliRun, runCli, type RunOptions } from '../testing/test-io.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatepost-lark-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** Puts a tool on the path that notes its arguments and its environment, and then does this. */
async function install(script: string): Promise<void> {
  const file = join(folder, 'lark-cli')
  await writeFile(file, `#!/bin/sh\necho "$*" >> ${folder}/calls\nenv >> ${folder}/env\n${script}\n`)
  await chmod(file, 0o755)
}
const calls = async (): Promise<readonly string[]> => (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n')

const authorize = (options: RunOptions = {}): Promise<CliRun> =>
  runCli(['setup', 'feishu', '--authorize-cli'], {
    ...options,
    env: { PATH: [folder, '/bin', '/usr/bin'].join(delimiter), ...options.env },
  })

it('prints the URL of each session, waits for its end, and is ready', async () => {
  await install('echo "Open this link:" >&2; echo "  https://open.feishu.cn/page?code=$1 "; exit 0')
  const run = await authorize()
  expect([run.code, run.out]).toEqual([
    0,
    'AUTH_URL:https://open.feishu.cn/page?code=config\nAUTH_URL:https://open.feishu.cn/page?code=auth\nready\n',
  ])
  expect(await calls()).toEqual(['config init --new', 'auth login --recommend'])
  expect(await readFile(join(folder, 'env'), 'utf8')).not.toContain('GATEPOST_')
})

it('says that it is not installed, and goes on', async () => {
  const run = await authorize({ env: { PATH: folder } })
  expect([run.code, run.out]).toEqual([
    0,
    expect.stringContaining("lark-cli isn't installed, so this step is skipped."),
  ])
})

it('fails with the last words of a session that fails, and starts no other', async () => {
  await install('printf "code \\033[31mexpired\\n"; exit 3')
  const run = await authorize()
  expect([run.code, run.out]).toEqual([1, ''])
  expect(run.err).toContain('lark-cli config init --new failed with exit code 3: code expired')
  expect(await calls()).toEqual(['config init --new'])
})

it('is only for feishu', async () => {
  const run = await runCli(['setup', 'telegram', '--authorize-cli'])
  expect([run.code, run.err]).toEqual([2, expect.stringContaining('only for feishu')])
})

it.each([
  ['installed', 'echo https://open.feishu.cn/page', ['https://open.feishu.cn/page', 'lark-cli is ready.']],
  ['broken', '[ "$1" = --version ] || exit 3', ['lark-cli config init --new failed with exit code 3.']],
  ['absent', null, ["lark-cli isn't installed, so this step is skipped. To install it: npm install -g @larksuite/cli"]],
])('the guided setup goes on where it is %s', async (_how, script, said) => {
  if (script !== null) await install(script)
  const answers = Object.entries(fakeSetup([{ ...ACCEPTED, platform: 'feishu' }])).map(
    ([call, answer]) => [call.replace('telegram', 'feishu'), answer] as const,
  )
  await using server = await startFakeServer({
    'GET /api/channels/lark': success({ ...telegramDetails, platform: 'feishu' }),
    'GET /api/channels/feishu': success({ ...telegramDetails, platform: 'feishu' }),
    ...Object.fromEntries(answers),
    'POST /api/channels/feishu/setup': success({ ...ASKING, platform: 'feishu' }),
  })
  const offer = { question: /^Authorize lark-cli/, answer: true }
  const typed = [{ question: /hidden/, answer: 'made-up' }, ...(script === null ? [] : [offer])]
  const PATH = script === null ? folder : [folder, '/bin', '/usr/bin'].join(delimiter)
  const run = await runCli(['setup', 'lark'], { url: server.url, typed, env: { PATH } })
  expect(run.code).toBe(0)
  expect(run.said).toEqual(expect.arrayContaining(said))
  expect(run.said.at(-1)).toContain('send a message')
})
