import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConfig } from '../../config/config.ts'
import { type Gateway, startGateway } from '../../serve.ts'
import { runCli } from '../testing/test-io.ts'

let root: string
let gateway: Gateway
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gatepost-'))
  gateway = await startGateway(readConfig({ GATEPOST_DATA_DIR: join(root, 'data'), GATEPOST_PORT: '0' }), {
    sink: { write: () => {}, flush: () => {}, close: () => {} },
    // the platform knows no token: what has the right form is rejected by it, and not by us
    fetch: async () => Response.json({ ok: false, error_code: 401, description: 'Unauthorized' }, { status: 401 }),
  })
})
afterAll(async () => {
  await gateway.stop()
  await rm(root, { recursive: true })
})

async function serverTakes(token: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${gateway.ownerToken.reveal()}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ bot_token: token })
  const response = await fetch(`${gateway.url}/api/channels/telegram/test`, { method: 'POST', headers, body })
  const code = /"code":"(credentials_\w+)"/.exec(await response.text())?.[1]
  expect(['credentials_rejected', 'credentials_invalid']).toContain(code)
  return code === 'credentials_rejected'
}

async function commandLineTakes(token: string): Promise<boolean> {
  const env = { GATEPOST_TOKEN: gateway.ownerToken.reveal() }
  const run = await runCli(['setup', 'telegram', '--token-stdin'], { url: gateway.url, env, input: token })
  expect(run.err).toMatch(/A bot token looks like|Unauthorized/)
  return !run.err.includes('A bot token looks like')
}

const S30 = 'AbC-d_'.repeat(5)
const tokens: readonly [why: string, token: string, taken: boolean][] = [
  ['digits, a colon, thirty characters', `1:${S30}`, true],
  ['a longer one', `123456789:${S30}Ef`, true],
  ['white space around', ` 1:${S30}\n`, true],
  ['twenty-nine characters', `1:${S30.slice(1)}`, false],
  ['no colon', `1${S30}`, false],
  ['no bot id', `:${S30}`, false],
  ['a letter in the bot id', `1a:${S30}`, false],
  ['a second colon', `1:${S30}:`, false],
  ['white space inside', `1:${S30} x`, false],
  ['two lines', `1:${S30}\nx`, false],
  ['another alphabet', `1:${S30}é`, false],
]
it.each(tokens)('the command line and the server agree on a bot token: %s', async (_why, token, taken) => {
  expect([await commandLineTakes(token), await serverTakes(token)]).toEqual([taken, taken])
})
