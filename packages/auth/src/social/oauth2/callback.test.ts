import { describe, expect, it } from 'vitest'
import { expectFailure, handshake, IDA } from './testing-handshake.ts'

describe('callbacks', () => {
  it('of another issuer are refused before anything is sent (RFC 9207)', async () => {
    const { emulator, begin, visit, finish } = await handshake('google')
    const begun = await begin()
    const params = await visit(begun.url)
    const count = emulator.requests.length
    params.set('iss', 'https://evil.example')
    await expectFailure(finish(begun, params))
    expect(emulator.requests).toHaveLength(count)
    params.set('iss', 'https://accounts.google.com')
    expect((await finish(begun, params)).uid).toBe(IDA.id)
  })

  it('accepts an issuer with a trailing slash', async () => {
    const { begin, visit, finish } = await handshake('gitlab', { settings: { gitlab_url: 'https://gitlab.com/' } })
    const begun = await begin()
    const params = await visit(begun.url)
    params.set('iss', 'https://gitlab.com')
    expect((await finish(begun, params)).uid).toBe(IDA.id)
  })

  it.each([
    ['linkedin_oauth2', 'user_cancelled_login', 'cancelled'],
    ['apple', 'user_cancelled_authorize', 'cancelled'],
    ['google', 'server_error', 'unknown'],
    ['google', '<script>', 'unknown'],
  ])('of %s with %s is reported as %s', async (provider, error, code) => {
    const { begin, finish } = await handshake(provider)
    const outcome = finish(await begin(), new URLSearchParams({ error, code: 'a-code' }))
    await expect(outcome).rejects.toMatchObject({ code, message: expect.not.stringContaining('<') })
  })
})

describe('id tokens', () => {
  const faults = ['bad_signature', 'unsigned', 'unknown_key', 'wrong_issuer', 'wrong_audience', 'expired'] as const
  it.each(['google', 'apple'])('of %s must be right in every part', async (provider) => {
    const { emulator, signIn, mend } = await handshake(provider)
    for (const fault of faults) {
      emulator.fail(provider, 'token', fault)
      await expectFailure(signIn())
    }
    mend()
    expect((await signIn()).uid).toBe(IDA.id)
    if (provider !== 'apple') return
    emulator.fail(provider, 'token', 'wrong_nonce')
    await expectFailure(signIn())
  })

  it('may be missing: then Google is asked, Apple has sent one before', async () => {
    const google = await handshake('google')
    google.emulator.fail('google', 'token', 'no_id_token')
    expect(await google.signIn()).toMatchObject({ uid: IDA.id, emails: [{ email: IDA.email, verified: true }] })
    expect(google.emulator.requests.at(-1)?.kind).toBe('profile')

    const apple = await handshake('apple')
    apple.emulator.fail('apple', 'token', 'no_id_token')
    const begun = await apple.begin()
    const params = await apple.visit(begun.url)
    const [other, stolen] = [await apple.begin(), new URLSearchParams(params)]
    expect(await apple.finish(begun, params)).toMatchObject({ uid: IDA.id, firstName: IDA.firstName })
    stolen.set('code', (await apple.visit(other.url)).get('code') ?? '')
    await expectFailure(apple.finish(other, stolen)) // the id token of another handshake
    const without = await apple.begin()
    const callback = await apple.visit(without.url)
    callback.delete('id_token')
    await expectFailure(apple.finish(without, callback))
    const forged = await google.begin()
    const withToken = await google.visit(forged.url)
    withToken.set('id_token', google.emulator.idToken('google', 'our-client', { claims: { sub: 'somebody-else' } }))
    await expectFailure(google.finish(forged, withToken))
  })

  it('of Apple come with a name once', async () => {
    const { signIn } = await handshake('apple')
    expect(await signIn()).toMatchObject({ firstName: IDA.firstName, lastName: IDA.lastName })
    expect(await signIn()).toMatchObject({ uid: IDA.id, firstName: '', lastName: '' })
  })

  it('omit a picture that Google returns with userinfo, unless configured', async () => {
    const { signIn } = await handshake('google', { providerSettings: { FETCH_USERINFO: true } })
    const { extraData } = await signIn()
    expect(extraData).toMatchObject({ iss: 'https://accounts.google.com', picture: expect.any(String) })
  })

  it.each([{ certificate_key: '' }, { certificate_key: 'no key' }])('need the key of Apple: %j', async (settings) => {
    const { signIn } = await handshake('apple', { settings })
    await expectFailure(signIn())
  })
})
