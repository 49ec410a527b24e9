import { createHmac, generateKeyPairSync } from 'node:crypto'
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { createSigner } from '../../kernel/crypto/crypto.ts'
import { createJwt, type Jwt, type JwtOptions } from './jwt.ts'

const NOW_MS = Date.UTC(2026, 0, 15, 12)
const NOW = NOW_MS / 1000
const SECRET = 'a made-up secret of 32 bytes or more'
const SIGNER = createSigner(['a made-up key that only tests use, long enough'])
const OPTIONS = {
  algorithm: 'HS256',
  key: SECRET,
  issuer: 'https://id.example.org',
  audience: 'https://api.example.org',
} satisfies JwtOptions
const CLAIMS = { iat: NOW, exp: NOW + 300, sid: 'sealed', jti: 'one', token_use: 'access', sub: '7' } as const

const generateRsaPair = () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const text = { type: 'spki', format: 'pem' } as const
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }), public: publicKey.export(text), publicKey }
}
const [ours, older, foreign] = [generateRsaPair(), generateRsaPair(), generateRsaPair()]
const rsa = (key: string): Jwt => createJwt({ ...OPTIONS, algorithm: 'RS256', key }, SIGNER)
const hmac = (key: string = SECRET): Jwt => createJwt({ ...OPTIONS, key }, SIGNER)

/** Signs a token by hand, with the server's secret by default. */
const signManually = (claims: object, header: object = {}, key: string = SECRET): Promise<string> =>
  new SignJWT({ iss: OPTIONS.issuer, aud: OPTIONS.audience, ...CLAIMS, ...claims })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT', ...header })
    .sign(Buffer.from(key))
const encodeJwtPart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const signWithHeader = (header: object): string => {
  const input = `${encodeJwtPart(header)}.${encodeJwtPart({ ...CLAIMS, iss: OPTIONS.issuer, aud: OPTIONS.audience })}`
  return `${input}.${createHmac('sha256', SECRET).update(input).digest('base64url')}`
}

/**
 * One character in the middle of the signature is another one. Not the last one: two of its bits are
 * spare, and a reader may pass them over (RFC 4648 section 3.5), which makes it the same signature.
 */
function tamperSignature(token: string): string {
  const at = token.length - 20
  return `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
}

describe('a token', () => {
  it.each(['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512'])(
    'of %s contain subject, audience and expiry',
    async (algorithm) => {
      const key = algorithm.startsWith('RS') ? ours.key : SECRET.repeat(2)
      const jwt = createJwt({ ...OPTIONS, algorithm, key }, SIGNER)
      const token = await jwt.sign(CLAIMS)
      const kid = algorithm.startsWith('RS') ? { kid: await calculateJwkThumbprint(ours.publicKey) } : {}
      expect(decodeProtectedHeader(token)).toEqual({ alg: algorithm, typ: 'JWT', ...kid })
      const whole = { ...CLAIMS, iss: OPTIONS.issuer, aud: OPTIONS.audience }
      expect(decodeJwt(token)).toEqual(whole)
      expect(await jwt.verify(token, 'access', NOW_MS)).toEqual(whole)
    },
  )

  it("carries the host's claims, which replace none of its own", async () => {
    const jwt = hmac()
    const token = await jwt.sign(CLAIMS, { email: 'ada@example.org', sub: '8', exp: 2 ** 40, iss: 'me', aud: 'all' })
    const own = { sub: '7', exp: NOW + 300, iss: OPTIONS.issuer, aud: OPTIONS.audience }
    expect(await jwt.verify(token, 'access', NOW_MS)).toMatchObject({ email: 'ada@example.org', ...own })
  })

  it('expires exactly at its exp', async () => {
    const token = await hmac().sign(CLAIMS)
    expect(await hmac().verify(token, 'access', NOW_MS + 299_999)).not.toBeNull()
    expect(await hmac().verify(token, 'access', NOW_MS + 300_000)).toBeNull()
  })

  it('is good for one use alone', async () => {
    const token = await hmac().sign({ ...CLAIMS, token_use: 'refresh' })
    expect(await hmac().verify(token, 'access', NOW_MS)).toBeNull()
    expect(await hmac().verify(token, 'refresh', NOW_MS)).not.toBeNull()
  })

  it('is not ours by hand unless everything is right', async () => {
    expect(await hmac().verify(await signManually({}), 'access', NOW_MS)).not.toBeNull()
    expect(await hmac().verify(signWithHeader({ alg: 'HS256' }), 'access', NOW_MS)).not.toBeNull()
  })

  it.each<[why: string, token: () => string | Promise<string>]>([
    ['another issuer', () => signManually({ iss: 'https://other.example.org' })],
    ['no issuer', () => signManually({ iss: undefined })],
    ['another audience', () => signManually({ aud: 'https://other.example.org' })],
    ['no audience', () => signManually({ aud: undefined })],
    ['no end', () => signManually({ exp: undefined })],
    ['an end that is no number', () => signManually({ exp: `${NOW + 300}` })],
    ['no beginning', () => signManually({ iat: undefined })],
    ['no session', () => signManually({ sid: undefined })],
    ['a session that is no text', () => signManually({ sid: 1 })],
    ['an id that is no text', () => signManually({ jti: ['one'] })],
    ['a user that is no text', () => signManually({ sub: 7 })],
    ['no use', () => signManually({ token_use: undefined })],
    ['a time before which it does not count', () => signManually({ nbf: NOW + 60 })],
    ['another secret', () => signManually({}, {}, 'another secret of 32 bytes or more')],
    ['a stronger algorithm, with our own secret', () => signManually({}, { alg: 'HS512' }, SECRET.repeat(2))],
    ['an unknown critical extension', () => signWithHeader({ alg: 'HS256', crit: ['x'], x: 1 })],
    [
      'no algorithm',
      () =>
        `${encodeJwtPart({ alg: 'none', typ: 'JWT' })}.${encodeJwtPart({ ...CLAIMS, iss: OPTIONS.issuer, aud: OPTIONS.audience })}.`,
    ],
    ['another signature', async () => tamperSignature(await signManually({}))],
    ['no signature', async () => `${(await signManually({})).split('.').slice(0, 2).join('.')}.`],
    [
      'other claims under its signature',
      async () => {
        const [header, , signature] = (await signManually({})).split('.')
        return `${header}.${encodeJwtPart({ ...CLAIMS, iss: OPTIONS.issuer, aud: OPTIONS.audience, sub: '8' })}.${signature}`
      },
    ],
    ['nothing', () => ''],
    ['two parts', () => 'a.b'],
    ['three parts of noise', () => '\u0000.é.💥'],
    ['a header that is no object', () => `${Buffer.from('1').toString('base64url')}.e30.AA`],
    ['a payload that is no JSON', () => `${encodeJwtPart({ alg: 'HS256' })}.AA.AA`],
    ['endless text', () => 'a'.repeat(1_000_000)],
  ])('with %s is rejected', async (_why, token) => {
    expect(await hmac().verify(await token(), 'access', NOW_MS)).toBeNull()
  })
})

describe('keys', () => {
  it('rejects a token signed with the public key as HMAC secret', async () => {
    const kid = await calculateJwkThumbprint(ours.publicKey)
    for (const key of [ours.public, ours.public.trim()]) {
      for (const header of [{ alg: 'HS256', kid }, { alg: 'HS256' }]) {
        expect(await rsa(ours.key).verify(await signManually({}, header, key), 'access', NOW_MS)).toBeNull()
      }
    }
  })

  it('the first one signs, all of them check, whole or public', async () => {
    const old = await rsa(older.key).sign(CLAIMS)
    const changed = rsa(`${ours.key}\n${older.public}`)
    expect(await changed.verify(old, 'access', NOW_MS)).not.toBeNull()
    expect(await rsa(`${ours.key}${older.key}`).verify(old, 'access', NOW_MS)).not.toBeNull()
    const fresh = await changed.sign(CLAIMS)
    expect(await rsa(ours.key).verify(fresh, 'access', NOW_MS)).not.toBeNull()
    expect(await rsa(ours.key).verify(old, 'access', NOW_MS)).toBeNull()
  })

  it('a name of a key proves nothing', async () => {
    const [header, claims, signature] = (await rsa(foreign.key).sign(CLAIMS)).split('.')
    const kid = await calculateJwkThumbprint(ours.publicKey)
    const renamed = `${encodeJwtPart({ alg: 'RS256', typ: 'JWT', kid })}.${claims}.${signature}`
    const nameless = `${encodeJwtPart({ alg: 'RS256', typ: 'JWT' })}.${claims}.${signature}`
    for (const token of [renamed, nameless, `${header}.${claims}.${signature}`]) {
      expect(await rsa(ours.key).verify(token, 'access', NOW_MS)).toBeNull()
    }
  })

  it('without a secret of their own they are those of the instance, and change with them', async () => {
    const derived = (...keys: [string, ...string[]]): Jwt => createJwt({ ...OPTIONS, key: '' }, createSigner(keys))
    const [first, second] = ['a made-up first key, long enough for us', 'a made-up second key, long enough']
    const token = await derived(first).sign(CLAIMS)
    expect(await derived(second, first).verify(token, 'access', NOW_MS)).not.toBeNull()
    expect(await derived(second).verify(token, 'access', NOW_MS)).toBeNull()
    expect(await hmac(first).verify(token, 'access', NOW_MS)).toBeNull()
  })
})
