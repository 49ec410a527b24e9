import { generateKeyPairSync, sign, type webcrypto } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { manualClock } from '../../testing/clock.ts'
import type { ExchangeIo } from '../exchange.ts'
import { verifyIdToken } from './id-token.ts'
import { expectFailure } from '../oauth2/testing-handshake.ts'
import { numberedBytes } from '../oauth2/testing-random.ts'

const ours = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const theirs = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const KEYS = { keys: [{ ...ours.publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'ES256' }] }

/** Asks for tokens with the keys of one provider; `asked` are the addresses. */
function verifier() {
  const clock = manualClock()
  const asked: string[] = []
  const fetch = async ({ url }: Request): Promise<Response> => {
    asked.push(url)
    return Response.json(KEYS)
  }
  const io: ExchangeIo = {
    fetch,
    clock,
    random: numberedBytes(),
    log: { debug() {}, info() {}, warn() {}, error() {} },
  }
  const nowSeconds = Math.floor(clock.now() / 1000)
  const token = (header: object, claims: object, { privateKey } = ours): string => {
    const usual = { iss: 'https://idp.example', aud: 'us', sub: '7', iat: nowSeconds, exp: nowSeconds + 300 }
    const parts = [
      { alg: 'ES256', kid: 'k', ...header },
      { ...usual, ...claims },
    ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    const signature = sign('sha256', Buffer.from(parts.join('.')), { key: privateKey, dsaEncoding: 'ieee-p1363' })
    return [...parts, signature.toString('base64url')].join('.')
  }
  const verify = (idToken: string) =>
    verifyIdToken(io, idToken, {
      jwksUrl: 'https://idp.example/keys',
      issuers: ['https://idp.example'],
      audiences: ['us'],
      algorithms: ['RS256', 'ES256'],
    })
  return { token, verify, asked, clock, nowSeconds }
}

describe('an id token', () => {
  const NOW = verifier().nowSeconds
  const good: readonly [header: object, claims: object][] = [
    [{}, {}],
    [{ typ: 'JWT' }, { aud: ['us'], azp: 'another client of the same app' }],
    [
      { typ: 'application/jwt', kid: undefined },
      { aud: ['us', 'them'], azp: 'us' },
    ],
    [{}, { exp: NOW - 59, nbf: NOW + 59 }],
  ]
  it.each(good)('is taken: %j %j', async (header, claims) => {
    const { token, verify } = verifier()
    expect(await verify(token(header, claims))).toMatchObject({ sub: '7', ...claims })
  })

  const bad: readonly [header: object, claims: object][] = [
    [{ typ: 'at+jwt' }, {}],
    [{ typ: 'logout+jwt' }, {}],
    [{ crit: ['x'], x: 1 }, {}],
    [{ kid: '__proto__' }, {}],
    [{ alg: 'none' }, {}],
    [{ alg: ['ES256'] }, {}],
    [{}, { exp: NOW - 61 }],
    [{}, { exp: String(NOW + 300) }],
    [{}, { exp: undefined }],
    [{}, { nbf: NOW + 61 }],
    [{}, { iat: undefined }],
    [{}, { aud: [] }],
    [{}, { aud: ['us', 'them'] }],
    [{}, { aud: ['us', 'them'], azp: 'them' }],
    [{}, { iss: ['https://idp.example'] }],
    [{}, { sub: 7 }],
    [{}, { sub: undefined }],
  ]
  it.each(bad)('is refused: %j %j', async (header, claims) => {
    const { token, verify } = verifier()
    await expectFailure(verify(token(header, claims)))
  })

  it('does not bring its key along', async () => {
    const { token, verify, asked } = verifier()
    const jwk: webcrypto.JsonWebKey = theirs.publicKey.export({ format: 'jwk' })
    await expectFailure(verify(token({ jku: 'https://evil.example/', x5u: 'https://evil.example/', jwk }, {}, theirs)))
    expect(asked).toEqual(['https://idp.example/keys'])
  })

  it('makes us ask for keys once, however many come at a time', async () => {
    const { token, verify, asked, clock } = verifier()
    const flood = (): Promise<unknown> =>
      Promise.all(Array.from({ length: 20 }, (_, at) => expectFailure(verify(token({ kid: `unknown ${at}` }, {})))))
    await flood()
    expect(asked).toHaveLength(1)
    clock.advance(31_000)
    await flood()
    expect(asked).toHaveLength(2)
  })
})
