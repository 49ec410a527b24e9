import { expect, it } from 'vitest'
import { openBench } from './wire-client.ts'

/** What Node itself does with this platform's wire: an update of it that changes this is noticed. */

const body = JSON.stringify({ get_updates_buf: '', bot: '微信' })
const post = (url: string, length: number, signal: AbortSignal): Promise<unknown> =>
  fetch(`${url}/ilink/bot/getupdates`, {
    method: 'POST',
    headers: { 'content-length': String(length) },
    body,
    signal,
  }).catch((caught: unknown) => caught)

it('fails a request whose Content-Length is more than the bytes of its body', async () => {
  await using bench = await openBench()
  const error = await post(bench.url, Buffer.byteLength(body) + 1, new AbortController().signal)
  expect(error).toBeInstanceOf(TypeError)
  expect(error).toMatchObject({ cause: { code: 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH' } })
})

it('never ends a request whose Content-Length counts characters instead of bytes', async () => {
  await using bench = await openBench()
  const giveUp = new AbortController()
  const hanging = post(bench.url, body.length, giveUp.signal)
  const other = post(bench.url, Buffer.byteLength(body), new AbortController().signal).then(() => 'the other one')
  expect(await Promise.race([hanging, other])).toBe('the other one')
  giveUp.abort()
  expect(await hanging).toMatchObject({ name: 'AbortError' })
  const lengths = (await bench.control.requests()).map(({ headers }) => headers['content-length'])
  expect(lengths).not.toContain(String(body.length))
})

it('corrupts ids above 2^53 when it parses them, so that two messages have the same; the source text keeps them', async () => {
  await using bench = await openBench()
  const { token } = (await bench.control.bot()).credentials
  const said = [
    await bench.control.say({ from: { id: 'ann@im.wechat' }, text: 'one' }),
    await bench.control.say({ from: { id: 'ann@im.wechat' }, text: 'two' }),
  ].map(({ messageId }) => messageId)
  const response = await fetch(`${bench.url}/ilink/bot/getupdates`, {
    method: 'POST',
    headers: { authorizationtype: 'ilink_bot_token', authorization: `Bearer ${token}` },
    body: '{}',
  })
  const raw = await response.text()
  for (const id of said) expect(raw).toContain(`"message_id":${id},`)
  const corrupted: unknown = JSON.parse(raw)
  expect(JSON.stringify(corrupted)).not.toContain(said[1])
  const exact: unknown[] = []
  JSON.parse(raw, (key, value: unknown, context?: { source?: string }) => {
    if (key === 'message_id') exact.push(context?.source)
    return value
  })
  expect(exact).toEqual(said)
})
