import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type GatewayProcess, startGatewayProcess } from './testing/crash/gateway-process.ts'

/** Writes down every module that is found, by `import` and by `require`. */
const WATCH = `import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
registerHooks({
  resolve(name, context, next) {
    const found = next(name, context)
    appendFileSync(process.env.FOUND_MODULES, found.url + '\\n')
    return found
  },
})`

/** Most services never need them. */
const HEAVY =
  /\/node_modules\/(oidc-provider|@modelcontextprotocol|@node-saml\/node-saml|oauth4webapi|jose|playwright-core|string-width|cli-table3)\/|\/(socialaccount\/providers)\/(?!.*\.test)/

let folder: string
let gateway: GatewayProcess
let url: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatepost-modules-'))
  gateway = startGatewayProcess({
    GATEPOST_DATA_DIR: join(folder, 'data'),
    GATEPOST_PORT: '0',
    FOUND_MODULES: join(folder, 'found'),
    NODE_OPTIONS: `--import=data:text/javascript;base64,${Buffer.from(WATCH).toString('base64')}`,
  })
  url = await gateway.ready
})
afterEach(async () => {
  await gateway.kill()
  await rm(folder, { recursive: true, force: true })
})

async function heavy(): Promise<readonly string[]> {
  const found = (await readFile(join(folder, 'found'), 'utf8')).split('\n')
  return [...new Set(found.flatMap((line) => HEAVY.exec(line)?.slice(1).find(Boolean) ?? []))].toSorted()
}

it('a service loads what a sign-in elsewhere, a client or an agent needs only once there is one', async () => {
  const token = (await readFile(join(folder, 'data', 'api-token'), 'utf8')).trim()
  const bearer = { authorization: `Bearer ${token}` }
  const visited = [
    fetch(`${url}/readyz`),
    fetch(`${url}/api/me`, { headers: bearer }),
    fetch(`${url}/api/admin/clients`, { headers: bearer }),
    fetch(`${url}/api/me`, { headers: { authorization: 'Bearer made-up' } }),
    fetch(`${url}/mcp`, { method: 'POST' }),
    fetch(`${url}/accounts/login/`),
    fetch(await gateway.firstAccountUrl),
  ]
  expect((await Promise.all(visited)).map(({ status }) => status)).toEqual([200, 200, 200, 401, 401, 200, 200])
  expect(await heavy()).toEqual([])
  const headers = { ...bearer, 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
  expect((await fetch(`${url}/mcp`, { method: 'POST', headers, body })).status).toBe(200)
  expect(await heavy()).toEqual(['@modelcontextprotocol'])
  const client = new URLSearchParams({ client_id: 'x', grant_type: 'client_credentials' })
  await fetch(`${url}/identity/o/api/token`, { method: 'POST', body: client })
  expect(await heavy()).toContain('oidc-provider')
})
