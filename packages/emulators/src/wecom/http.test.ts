import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { manualClock } from '../kit/testing-clock.ts'
import { type Bench, openBench } from './testing-bot.ts'

type Fields = Readonly<Record<string, unknown>>

async function get(bench: Bench, path: string): Promise<Fields> {
  return (await (await fetch(`${bench.url}${path}`)).json()) as Fields // untrusted, compared below
}

async function generate(bench: Bench): Promise<string> {
  const { data } = (await get(bench, '/ai/qc/generate?source=gatepost&plat=3')) as { data: { scode: string } } // as observed of the platform
  return data.scode
}

const query = (bench: Bench, scode: string): Promise<Fields> => get(bench, `/ai/qc/query_result?scode=${scode}`)

it('makes a QR code whose confirmation gives a bot', async () => {
  await using bench = await openBench()
  await expect(bench.control.scan({ act: 'confirm' })).rejects.toThrow('no pending QR code')
  expect(await bench.control.bot()).toMatchObject({ setup: null })
  const scode = await generate(bench)
  expect(await bench.control.bot()).toMatchObject({ setup: 'waiting' })
  expect(await query(bench, scode)).toMatchObject({ errcode: 0, data: { status: 'init' } })
  await bench.control.scan({ act: 'scan' })
  expect(await bench.control.bot()).toMatchObject({ setup: 'scanned' })
  expect(await query(bench, scode)).toEqual({ errcode: 0, errmsg: 'ok', data: { status: 'scanned' } })
  await bench.control.scan({ act: 'confirm' })
  const { bot_id: botid, secret } = (await bench.control.bot()).credentials
  expect(await query(bench, scode)).toMatchObject({ data: { status: 'success', bot_info: { botid, secret } } })
  expect(await bench.control.bot()).toMatchObject({ setup: null })
  await expect(bench.control.scan({ act: 'confirm' })).rejects.toThrow('used up')
})

it('ends a QR code by refusal, by hand or after 5 min', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  for (const [act, status] of [
    ['refuse', 'refused'],
    ['expire', 'expired'],
  ] as const) {
    const scode = await generate(bench)
    await bench.control.scan({ act })
    expect(await query(bench, scode)).toMatchObject({ data: { status } })
  }
  const scode = await generate(bench)
  await clock.advance(5 * 60_000)
  expect(await query(bench, scode)).toMatchObject({ data: { status: 'expired' } })
  await expect(bench.control.scan({ act: 'confirm' })).rejects.toThrow('used up')
  await generate(bench)
  await expect(bench.control.scan({ act: 'ask_code', code: '1' })).rejects.toThrow("doesn't support ask_code")
})

it('refuses a code without a label or platform, and an unknown one', async () => {
  await using bench = await openBench()
  expect(await get(bench, '/ai/qc/generate?plat=3')).toMatchObject({ errcode: 40058 })
  expect(await get(bench, '/ai/qc/generate?source=gatepost&plat=9')).toMatchObject({ errcode: 40058 })
  expect(await query(bench, 'scode0')).toMatchObject({ errcode: 40058 })
  expect((await fetch(`${bench.url}/ai/qc/gen?source=gatepost&scode=${await generate(bench)}`)).status).toBe(200)
})

it('checks the signature of the probe, and leaves the connection alone', async () => {
  await using bench = await openBench()
  const bot = await bench.subscribe()
  const { bot_id: id = '', secret = '' } = (await bench.control.bot()).credentials
  const probeCredentials = async (botId: string, key: string): Promise<unknown> => {
    const signature = createHash('sha256').update(`${key}${botId}1763700000abc`).digest('hex')
    const body = { bot_id: botId, time: 1763700000, nonce: 'abc', signature, bind_source: 1 }
    const target = `${bench.url}/cgi-bin/aibot/cli/get_cli_config`
    return (await fetch(target, { method: 'POST', body: JSON.stringify(body) })).json()
  }
  expect(await probeCredentials(id, secret)).toMatchObject({ errcode: 0, token: expect.any(String) })
  expect(await probeCredentials(id, 'wrong')).toMatchObject({ errcode: 853000 })
  expect(await probeCredentials('aibOther', secret)).toMatchObject({ errcode: 93019 })
  expect(await bot.call('ping')).toMatchObject({ errcode: 0 })
})

it('has the faults of a network over HTTP too', async () => {
  await using bench = await openBench()
  await bench.control.injectFault({ kind: 'bad_gateway' })
  const page = await fetch(`${bench.url}/ai/qc/generate?source=gatepost&plat=3`)
  expect([page.status, page.headers.get('content-type')]).toEqual([502, 'text/html'])
  await bench.control.injectFault({ kind: 'drop_after', method: 'qc.generate' })
  await expect(generate(bench)).rejects.toThrow()
  await bench.control.scan({ act: 'scan' })
  await bench.control.injectFault({ kind: 'error', code: 45009, method: 'qc.generate' })
  expect(await get(bench, '/ai/qc/generate?source=gatepost&plat=3')).toMatchObject({ errcode: 45009 })
  expect((await bench.control.requests({ method: 'qc.generate' })).map(({ status }) => status)).toEqual([502, 0, 200])
})
