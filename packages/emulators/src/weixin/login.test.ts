import { expect, it } from 'vitest'
import { manualClock, until } from '../kit/testing-clock.ts'
import { type Bench, openBench } from './wire-client.ts'

type Fields = Readonly<Record<string, unknown>>

const newCode = async (bench: Bench, tokens: readonly string[] = []): Promise<string> =>
  String((await bench.call('get_bot_qrcode?bot_type=3', { local_token_list: tokens }, { token: '' }))['qrcode'])
const status = (bench: Bench, code: string, more = '', url = bench.url): Promise<Fields> =>
  bench.get(`get_qrcode_status?qrcode=${code}${more}`, { url })

it('gives a code with an address to be drawn, also by GET', async () => {
  await using bench = await openBench()
  const answer = await bench.get('get_bot_qrcode?bot_type=3')
  expect(answer).toMatchObject({
    ret: 0,
    qrcode_img_content: expect.stringContaining(`/q/${String(answer['qrcode'])}`),
  })
  expect(await bench.get('get_bot_qrcode?bot_type=1')).toMatchObject({ ret: -1 })
})

it('tells wait, scaned, confirmed; the log-in before has ended then', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock, holdMs: 1_000 })
  const before = (await bench.control.bot()).credentials
  const code = await newCode(bench)
  const waiting = status(bench, code)
  await until(async () => (await bench.control.requests({ method: 'get_qrcode_status' })).length === 1)
  await clock.advance(1_000)
  expect(await waiting).toEqual({ ret: 0, status: 'wait' })
  const held = status(bench, code)
  await until(async () => (await bench.control.requests({ method: 'get_qrcode_status' })).length === 2)
  await bench.control.scan({ act: 'scan' })
  expect(await held).toEqual({ ret: 0, status: 'scaned' })
  await bench.control.scan({ act: 'confirm', userId: 'bob@im.wechat' })
  const confirmed = await status(bench, code)
  const { credentials, id } = await bench.control.bot()
  expect(confirmed).toEqual({
    ret: 0,
    status: 'confirmed',
    bot_token: credentials['token'],
    baseurl: bench.url,
    ilink_bot_id: id,
    ilink_user_id: 'bob@im.wechat',
  })
  expect(credentials['token']).not.toBe(before['token'])
  // the answer may have been lost: it is given again
  expect(await status(bench, code)).toEqual(confirmed)
  expect((await bench.poll('', { token: before['token'] ?? '' })).raw).toMatchObject({ ret: -14 })
  await expect(bench.control.scan({ act: 'scan' })).rejects.toThrow('used up')
})

it('ends the polls of the log-in before with -14', async () => {
  await using bench = await openBench()
  const held = bench.poll()
  await until(async () => (await bench.control.bot()).connected)
  await newCode(bench)
  await bench.control.scan({ act: 'confirm', userId: 'bob@im.wechat' })
  expect((await held).raw).toMatchObject({ ret: -14 })
})

it('shows that the code was scanned before it tells that it was confirmed', async () => {
  await using bench = await openBench()
  const code = await newCode(bench)
  await bench.control.scan({ act: 'confirm' })
  expect(await status(bench, code)).toMatchObject({ status: 'scaned' })
  expect(await status(bench, code)).toMatchObject({ status: 'confirmed', ilink_user_id: 'owner@im.wechat' })
})

it('lets a code expire after its time, or at once', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock, qrLifeMs: 5_000 })
  const code = await newCode(bench)
  const held = status(bench, code)
  await until(async () => (await bench.control.requests({ method: 'get_qrcode_status' })).length === 1)
  await clock.advance(5_000)
  expect(await held).toMatchObject({ status: 'expired' })
  const other = await newCode(bench)
  await bench.control.scan({ act: 'expire' })
  expect(await status(bench, other)).toMatchObject({ status: 'expired' })
  expect(await status(bench, 'made-up')).toMatchObject({ status: 'expired' })
})

it('sends to another address, where the log-in is then good, and only there', async () => {
  await using bench = await openBench()
  const code = await newCode(bench)
  await bench.control.scan({ act: 'redirect' })
  const redirect = { ret: 0, status: 'scaned_but_redirect', redirect_host: new URL(bench.secondUrl).host }
  expect(await status(bench, code)).toEqual(redirect)
  expect(await status(bench, code, '', bench.secondUrl)).toMatchObject({ status: 'scaned' })
  await bench.control.scan({ act: 'confirm' })
  const confirmed = await status(bench, code, '', bench.secondUrl)
  expect(confirmed).toMatchObject({ status: 'confirmed', baseurl: bench.secondUrl })
  await bench.control.say({ from: { id: 'ann@im.wechat' }, text: 'hello' })
  const token = String(confirmed['bot_token'])
  expect((await bench.poll('', { token })).raw).toMatchObject({ ret: -14 })
  expect((await bench.poll('', { token, url: bench.secondUrl })).messages).toHaveLength(1)
  expect((await bench.control.bot()).credentials).toEqual({ token, base_url: bench.secondUrl })
})

it('asks for the number on the phone, again when it is wrong, and blocks after three', async () => {
  await using bench = await openBench()
  const code = await newCode(bench)
  await bench.control.scan({ act: 'ask_code', code: '42' })
  expect(await status(bench, code)).toMatchObject({ status: 'need_verifycode' })
  expect(await status(bench, code, '&verify_code=41')).toMatchObject({ status: 'need_verifycode' })
  expect(await status(bench, code, '&verify_code=42')).toMatchObject({ status: 'scaned' })
  await bench.control.scan({ act: 'confirm' })
  expect(await status(bench, code)).toMatchObject({ status: 'confirmed' })
  const other = await newCode(bench)
  await bench.control.scan({ act: 'ask_code', code: '42' })
  await status(bench, other)
  for (const wrong of ['1', '2']) {
    expect(await status(bench, other, `&verify_code=${wrong}`)).toMatchObject({ status: 'need_verifycode' })
  }
  expect(await status(bench, other, '&verify_code=3')).toMatchObject({ status: 'verify_code_blocked' })
})

it('confirms only with the number, whichever of the two comes first', async () => {
  await using bench = await openBench()
  const code = await newCode(bench)
  await bench.control.scan({ act: 'ask_code', code: '42' })
  await bench.control.scan({ act: 'confirm' })
  expect(await status(bench, code)).toMatchObject({ status: 'need_verifycode' })
  expect(await status(bench, code, '&verify_code=42')).toMatchObject({ status: 'scaned' })
  expect(await status(bench, code)).toMatchObject({ status: 'confirmed' })
})

it('reports an earlier log-in at the first poll, whose token is not good', async () => {
  await using bench = await openBench()
  const code = await newCode(bench)
  await bench.control.scan({ act: 'stale' })
  const stale = await status(bench, code)
  expect(stale).toMatchObject({ status: 'confirmed' })
  expect((await bench.poll('', { token: String(stale['bot_token']) })).raw).toMatchObject({ ret: -14 })
})

it('tells that the account is bound to a token that the client has, and keeps that token', async () => {
  await using bench = await openBench()
  const { token } = (await bench.control.bot()).credentials
  const code = await newCode(bench, [token ?? ''])
  await bench.control.scan({ act: 'confirm' })
  await status(bench, code)
  expect(await status(bench, code)).toEqual({ ret: 0, status: 'binded_redirect' })
  const other = await newCode(bench)
  await bench.control.scan({ act: 'already_bound' })
  expect(await status(bench, other)).toMatchObject({ status: 'binded_redirect' })
  expect((await bench.control.bot()).credentials['token']).toBe(token)
})

it('knows no refusal on the phone, and nothing to scan before a code was asked for', async () => {
  await using bench = await openBench()
  await expect(bench.control.scan({ act: 'scan' })).rejects.toThrow('There is no pending QR code')
  await newCode(bench)
  await expect(bench.control.scan({ act: 'refuse' })).rejects.toThrow("doesn't support refuse")
})

it('answers 524 as a proxy does whose patience has ended', async () => {
  await using bench = await openBench()
  const code = await newCode(bench)
  await bench.control.injectFault({ kind: 'server_error', status: 524, method: 'get_qrcode_status' })
  await expect(status(bench, code)).rejects.toThrow('HTTP 524')
})
