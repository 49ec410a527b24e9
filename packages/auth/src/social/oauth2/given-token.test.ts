import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { type GivenToken, ProviderError } from '../exchange.ts'
import { expectFailure, handshake, type HandshakeOptions, IDA } from './testing-handshake.ts'

async function client(provider: string, options: HandshakeOptions = {}) {
  const { emulator, exchange, call, clock } = await handshake(provider, options)
  const verify = async (token: GivenToken) => {
    if (exchange.verifyToken === undefined) throw new Error('there is no token flow')
    return exchange.verifyToken(call, token)
  }
  return { emulator, verify, clock }
}

describe.each(['google', 'apple'])('an id token of %s', (provider) => {
  it('contains the identity, with the mark that makes it single-use', async () => {
    const { emulator, verify, clock } = await client(provider)
    const idToken = emulator.idToken(provider, 'our-client', { claims: { jti: 'a-mark' } })
    const identity = await verify({ idToken, accessToken: 'an-access-token' })
    expect(identity).toMatchObject({
      uid: IDA.id,
      emails: [{ email: IDA.email, verified: true, primary: true }],
      tokens: { token: 'an-access-token', tokenSecret: '', expiresAtMs: null },
      replay: { jti: 'a-mark' },
    })
    expect(identity.replay?.issuer).toBe(identity.extraData['iss'])
    expect(identity.replay?.expiresAtMs).toBeGreaterThan(clock.now())
    expect((await verify({ idToken })).tokens).toBeNull()
  })

  const faults = ['bad_signature', 'unsigned', 'unknown_key', 'wrong_issuer', 'wrong_audience', 'expired'] as const
  it('is refused when a part of it is wrong, or the keys cannot be had', async () => {
    const { emulator, verify } = await client(provider)
    emulator.fail(provider, 'jwks', 'status_500')
    await expectFailure(verify({ idToken: emulator.idToken(provider, 'our-client') }))
    emulator.clearFaults()
    for (const fault of faults)
      await expectFailure(verify({ idToken: emulator.idToken(provider, 'our-client', { fault }) }))
    await expectFailure(verify({ idToken: emulator.idToken(provider, 'our-client', { claims: { sub: '' } }) }))
    for (const given of [
      {},
      { idToken: '' },
      { idToken: 'a.b.c' },
      { idToken: 'x'.repeat(10_000) },
      { accessToken: 't' },
    ]) {
      await expectFailure(verify(given))
    }
  })

  it('may be meant for another client of the same app', async () => {
    const { emulator, verify } = await client(provider, { clientId: 'our-client, our.telephone' })
    emulator.addClient(provider, { clientId: 'our.telephone', secret: '', redirectUris: [] })
    const { uid } = await verify({ idToken: emulator.idToken(provider, 'our.telephone') })
    expect(uid).toBe(IDA.id)
    await expectFailure((await client(provider)).verify({ idToken: emulator.idToken(provider, 'our.telephone') }))
  })
})

describe('Facebook', () => {
  it('is checked for its app, and then for its user', async () => {
    const { emulator, verify } = await client('facebook')
    const accessToken = emulator.accessToken('facebook', 'our-client')
    const identity = await verify({ accessToken })
    expect(identity).toMatchObject({
      uid: IDA.id,
      emails: [{ email: IDA.email, verified: false, primary: true }],
      tokens: { token: accessToken, tokenSecret: '', expiresAtMs: null },
      replay: null,
    })
    expect(emulator.requests.map(({ url }) => new URL(url).pathname)).toEqual([
      '/v19.0/oauth/access_token',
      '/v19.0/debug_token',
      '/v19.0/me',
    ])
  })

  it('gives a token of the app that is kept a while', async () => {
    const asked = async (providerSettings: JsonObject, seconds: number): Promise<number> => {
      const { emulator, verify, clock } = await client('facebook', { providerSettings })
      await verify({ accessToken: emulator.accessToken('facebook', 'our-client') })
      clock.advance(seconds * 1000)
      await verify({ accessToken: emulator.accessToken('facebook', 'our-client') })
      return emulator.requests.filter(({ url }) => url.includes('client_credentials')).length
    }
    expect(await asked({}, 299)).toBe(1)
    expect(await asked({}, 300)).toBe(2)
    expect(await asked({ APP_TOKEN_CACHE_TIMEOUT: 10 }, 10)).toBe(2)
    expect(await asked({ APP_TOKEN_CACHE_TIMEOUT: 0 }, 0)).toBe(2)
  })

  it('rejects tokens of other apps', async () => {
    const { emulator, verify } = await client('facebook')
    emulator.addClient('facebook', { clientId: 'another-app', secret: 'theirs', redirectUris: [] })
    await expectFailure(verify({ accessToken: emulator.accessToken('facebook', 'another-app') }))
    await expectFailure(verify({ accessToken: 'made-up' }))
    expect(emulator.requests.some(({ kind }) => kind === 'profile')).toBe(false)
  })

  it('exchanges a token for one that lasts, if that is wanted', async () => {
    const { emulator, verify, clock } = await client('facebook', { providerSettings: { EXCHANGE_TOKEN: true } })
    const accessToken = emulator.accessToken('facebook', 'our-client')
    const { tokens } = await verify({ accessToken })
    expect(tokens?.token).not.toBe(accessToken)
    expect(tokens?.expiresAtMs).toBe(clock.now() + 5_184_000_000)
  })

  it('signs id tokens of Limited Login, whose claims have other names', async () => {
    const { emulator, verify } = await client('facebook')
    const identity = await verify({ idToken: emulator.idToken('facebook', 'our-client') })
    expect(identity).toMatchObject({ uid: IDA.id, firstName: IDA.firstName, lastName: IDA.lastName })
    expect(identity.extraData).toMatchObject({ id: IDA.id, first_name: IDA.firstName })
    expect(identity.extraData).not.toHaveProperty('sub')
    await expectFailure(verify({ idToken: emulator.idToken('facebook', 'our-client', { fault: 'bad_signature' }) }))
  })

  it('keeps secrets out of error messages', async () => {
    const { emulator, verify } = await client('facebook')
    const accessToken = emulator.accessToken('facebook', 'our-client')
    for (const fault of ['status_500', 'malformed', 'reset', 'error'] as const) {
      emulator.fail('facebook', 'token', fault)
      const error = await verify({ accessToken }).catch((error: unknown) => error)
      expect(error).toBeInstanceOf(ProviderError)
      const told = error instanceof ProviderError ? error.message : ''
      expect(told).not.toMatch(/a-made-up-secret/)
      expect(told).not.toContain(accessToken)
    }
  })
})
