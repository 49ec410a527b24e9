import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import { expectFailure, handshake, IDA, STATE } from '../oauth2/testing-handshake.ts'
import { parseForeignJson } from '../wire/provider-reply.ts'

/** Posts the URL fragment, as the callback page does. */
async function telegram(settings: object = {}) {
  const world = await handshake('telegram', { settings: { ...settings } })
  const back = async (): Promise<URLSearchParams> => {
    const { url } = await world.begin()
    const reply = await world.emulator.fetch(new Request(url))
    return new URLSearchParams(new URL(reply.headers.get('location') ?? '').hash.slice(1))
  }
  const finish = (params: URLSearchParams) => world.exchange.finish(world.call, { params, kept: {} })
  return { ...world, back, finish }
}

const forgeResult = (result: unknown): URLSearchParams =>
  new URLSearchParams({ tgAuthResult: Buffer.from(JSON.stringify(result)).toString('base64') })
function decodeResult(params: URLSearchParams): JsonObject {
  const value = parseForeignJson(Buffer.from(params.get('tgAuthResult') ?? '', 'base64').toString())
  return isRecord(value) ? value : {}
}

describe('Telegram', () => {
  it('accepts a signed login for half a minute', async () => {
    const { back, finish, emulator, clock, begin } = await telegram()
    const { searchParams } = new URL((await begin()).url)
    expect(Object.fromEntries(searchParams)).toMatchObject({
      bot_id: 'our-client',
      origin: 'https://site.example/',
      embed: '0',
    })
    expect(new URL(searchParams.get('return_to') ?? '').searchParams.get('state')).toBe(STATE)
    const good = await back()
    const identity = await finish(good)
    const { uid, username, firstName, lastName } = emulator.expected('telegram', IDA)
    expect(identity).toMatchObject({ uid, username, firstName, lastName, emails: [], tokens: null })
    expect(identity.replay?.jti).toBe(decodeResult(good)['hash'])
    expect(identity.extraData).not.toHaveProperty('hash')
    clock.advance(31_000)
    await expectFailure(finish(good))
    const longer = await telegram({ auth_date_validity: 3600 })
    const late = await longer.back()
    longer.clock.advance(3_000_000)
    expect((await longer.finish(late)).uid).toBe(uid)
  })

  it('has signed nothing else by signing a name of several lines', async () => {
    const { finish, clock, call } = await telegram()
    const auth_date = Math.floor(clock.now() / 1000)
    const lines = [`auth_date=${auth_date}`, 'first_name=Eve', 'id=1', 'id=7', 'zzz=1']
    const key = createHash('sha256').update(call.app.secret).digest()
    const hash = createHmac('sha256', key).update(lines.join('\n')).digest('hex')
    // What it signed, and what that can be made to look like.
    await expectFailure(finish(forgeResult({ id: 7, first_name: 'Eve\nid=1', auth_date, zzz: 1, hash })))
    await expectFailure(finish(forgeResult({ id: 1, first_name: 'Eve', auth_date, 'id=7\nzzz': 1, hash })))
    await expectFailure(finish(forgeResult({ id: '1\nid=7', first_name: 'Eve', auth_date, zzz: 1, hash })))
  })

  it('rejects unsigned data', async () => {
    const { back, finish, emulator, call, exchange } = await telegram()
    const good = await back()
    const said = decodeResult(good)
    const { hash: _hash, ...bare } = said
    const wrong = [
      forgeResult({ ...said, id: 1 }),
      forgeResult({ ...said, admin: true }),
      forgeResult({ ...said, auth_date: 'x' }),
      forgeResult({ ...said, hash: 'AAAA' }),
      forgeResult({ ...said, hash: null }),
      forgeResult(bare),
      forgeResult([said]),
      forgeResult('x'),
      new URLSearchParams({ tgAuthResult: 'x'.repeat(100_000) }),
      new URLSearchParams(),
    ]
    for (const params of wrong) await expectFailure(finish(params))
    const lines = Object.entries(bare).map(([name, value]) => `${name}=${String(value)}`)
    const ofNothing = createHmac('sha256', createHash('sha256').digest()).update(lines.toSorted().join('\n'))
    const params = forgeResult({ ...bare, hash: ofNothing.digest('hex') })
    await expectFailure(exchange.finish({ ...call, app: { ...call.app, secret: '' } }, { params, kept: {} }))
    emulator.fail('telegram', 'authorize', 'bad_signature')
    await expectFailure(back().then(finish))
    emulator.fail('telegram', 'authorize', 'expired')
    await expectFailure(back().then(finish))
    emulator.fail('telegram', 'authorize', 'denied')
    await expect(back().then(finish)).rejects.toMatchObject({ code: 'cancelled' })
  })
})

describe('Draugiem', () => {
  it('signs a user in, and reports failures', async () => {
    const { emulator, begin, visit, finish, hang } = await handshake('draugiem')
    const begun = await begin()
    const identity = await finish(begun, await visit(begun.url))
    const { uid, firstName, lastName } = emulator.expected('draugiem', IDA)
    expect(identity).toMatchObject({ uid, firstName, lastName, tokens: { token: expect.stringMatching(/./) } })
    expect(JSON.stringify(identity.extraData)).not.toContain(identity.tokens?.token)
    await expectFailure(finish(begun, new URLSearchParams()))
    await expectFailure(finish(begun, new URLSearchParams({ dr_auth_status: 'ok' })))
    await expectFailure(finish(begun, new URLSearchParams({ dr_auth_status: 'ok', dr_auth_code: 'guessed' })))
    emulator.fail('draugiem', 'authorize', 'denied')
    await expect(visit(begun.url).then((params) => finish(begun, params))).rejects.toMatchObject({ code: 'denied' })
    emulator.clearFaults()
    for (const how of ['error', 'status_500', 'malformed', 'reset', 'no_token', 'no_uid'] as const) {
      const params = await visit((await begin()).url)
      emulator.fail('draugiem', 'token', how)
      await expectFailure(finish(begun, params))
      emulator.clearFaults()
    }
    const params = await visit((await begin()).url)
    hang('token')
    await expectFailure(finish(begun, params))
  })
})

describe('the provider for tests', () => {
  const person = {
    id: '123',
    email: 'a@b.example',
    email_verified: 'on',
    username: 'ida',
    phone: '+4915200000',
    phone_verified: 'true',
  }

  it('leads to our form, and believes it', async () => {
    const { begin, finish, call } = await handshake('dummy')
    const begun = await begin()
    expect(begun.url).toBe(`${call.redirectUri}?state=${STATE}`)
    expect(await finish(begun, new URLSearchParams({ ...person, state: STATE }))).toMatchObject({
      uid: '123',
      username: 'ida',
      emails: [{ email: 'a@b.example', verified: true, primary: true }],
      phone: { phone: '+4915200000', verified: true },
    })
    const cancelled = finish(begun, new URLSearchParams({ action: 'cancel' }))
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' })
    for (const id of ['', 'x', '1.5']) await expectFailure(finish(begun, new URLSearchParams({ id })))
  })

  it('takes JSON for an id token', async () => {
    const { exchange, call } = await handshake('dummy')
    if (exchange.verifyToken === undefined) throw new Error('no token flow')
    const given = await exchange.verifyToken(call, { idToken: '{"id":7,"email":"a@b.example","email_verified":false}' })
    expect(given).toMatchObject({ uid: '7', emails: [{ verified: false }], phone: null, replay: null })
    for (const idToken of ['', '[]', '{}', 'x', '{"id":{}}'])
      await expectFailure(exchange.verifyToken(call, { idToken }))
  })
})
