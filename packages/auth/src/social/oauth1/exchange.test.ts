import { describe, expect, it } from 'vitest'
import { ProviderError } from '../exchange.ts'
import { CALLBACK, expectFailure, handshake, IDA } from '../oauth2/testing-handshake.ts'
import { PROVIDER_ENTRIES } from '../registry/provider-entries.ts'

const OAUTH1 = PROVIDER_ENTRIES.filter(({ protocol }) => protocol === 'oauth1').map(({ id }) => id)
/** Those that have a call for the profile. */
const WITH_PROFILE = OAUTH1.filter((id) => id !== 'evernote' && id !== 'pocket')

const catchProviderErrorCode = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'worked',
    (error: unknown) => (error instanceof ProviderError ? error.code : String(error)),
  )

describe.each(OAUTH1)('%s', (provider) => {
  it('signs a user in, as documented', async () => {
    const { emulator, begin, visit, finish } = await handshake(provider)
    const begun = await begin()
    const { uid, emails, username, firstName, lastName, name, tokens, extraData } = await finish(
      begun,
      await visit(begun.url),
    )
    expect({
      uid,
      email: emails[0]?.email ?? null,
      emailVerified: emails[0]?.verified ?? false,
      username: username || null,
      firstName: firstName || null,
      lastName: lastName || null,
      name: name || null,
    }).toEqual(emulator.expected(provider, IDA))
    expect(tokens?.token).toMatch(/[\w-]{10}/)
    const told = JSON.stringify(extraData)
    for (const secret of [tokens?.token, tokens?.tokenSecret].filter(Boolean)) expect(told).not.toContain(secret)
  })

  it('reports that the user declined, and other failures', async () => {
    const { emulator, begin, visit, finish, hang, mend } = await handshake(provider)
    emulator.fail(provider, 'authorize', 'denied')
    const refused = await begin()
    expect(await catchProviderErrorCode(visit(refused.url).then((params) => finish(refused, params)))).toBe('cancelled')
    emulator.clearFaults()
    for (const how of ['error', 'status_500', 'malformed', 'reset', 'no_token'] as const) {
      emulator.fail(provider, 'request_token', how)
      await expectFailure(begin())
      emulator.clearFaults()
    }
    for (const kind of WITH_PROFILE.includes(provider) ? (['token', 'profile'] as const) : (['token'] as const)) {
      for (const how of ['error', 'status_500', 'malformed', 'reset', 'no_uid'] as const) {
        const begun = await begin()
        const params = await visit(begun.url)
        emulator.fail(provider, kind, how)
        if (how !== 'no_uid' || kind === 'profile') await expectFailure(finish(begun, params))
        emulator.clearFaults()
      }
    }
    const begun = await begin()
    const params = await visit(begun.url)
    hang('token')
    await expectFailure(finish(begun, params))
    mend()
    hang('request_token')
    await expectFailure(begin())
  })
})

describe('a callback', () => {
  it('counts for the request token of the session alone, with the right verifier, and once', async () => {
    const { begin, visit, finish } = await handshake('twitter')
    const [ours, others] = [await begin(), await begin()]
    const [params, othersParams] = [await visit(ours.url), await visit(others.url)]
    await expectFailure(finish(ours, othersParams))
    await expectFailure(finish({ ...ours, kept: {} }, params))
    for (const [name, value] of [
      ['oauth_verifier', 'guessed'],
      ['oauth_verifier', ''],
      ['oauth_token', ''],
    ] as const) {
      const tampered = new URLSearchParams(params)
      tampered.set(name, value)
      await expectFailure(finish(ours, tampered))
    }
    expect((await finish(ours, params)).uid).toBe(IDA.id)
    await expectFailure(finish(ours, params))
  })

  it('without a verifier is a refusal at Evernote', async () => {
    const { begin, visit, finish } = await handshake('evernote')
    const begun = await begin()
    const params = await visit(begun.url)
    params.delete('oauth_verifier')
    expect(await catchProviderErrorCode(finish(begun, params))).toBe('cancelled')
    params.set('oauth_token', 'another')
    expect(await catchProviderErrorCode(finish(begun, params))).toBe('unknown')
  })
})

describe('requests', () => {
  it('goes where it should, whatever the settings and the request add', async () => {
    const { begin, emulator } = await handshake('trello', { providerSettings: { AUTH_PARAMS: { expiration: '1day' } } })
    const { url } = await begin({
      scope: ['write'],
      authParams: { oauth_callback: 'https://evil.example/', oauth_token: 'x', type: 'other' },
    })
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      type: 'other',
      name: 'Our app',
      expiration: '1day',
      oauth_token: expect.stringMatching(/^[\w-]{10,}$/),
      oauth_callback: CALLBACK,
    })
    const [asked] = emulator.requests
    expect(asked?.method).toBe('POST')
    expect(Object.fromEntries(new URL(asked?.url ?? '').searchParams)).toEqual({
      scope: 'read write',
      oauth_callback: CALLBACK,
    })
  })

  it('is the address only when it is wanted, and a new login at another page', async () => {
    const { signIn, begin } = await handshake('twitter', { queryEmail: false })
    expect((await signIn()).emails).toEqual([])
    expect((await begin()).url).toMatch(/^https:\/\/api\.x\.com\/oauth\/authenticate\?/)
    expect((await begin({ action: 'reauthenticate' })).url).toMatch(/^https:\/\/api\.x\.com\/oauth\/authorize\?/)
  })

  it('keeps ids that no number can hold', async () => {
    const replies: Readonly<Record<string, string>> = {
      '/oauth/request_token': 'oauth_token=t&oauth_token_secret=s',
      '/oauth/access_token': 'oauth_token=a&oauth_token_secret=b',
      '/1.1/account/verify_credentials.json': '{"id":1234567890123456789,"screen_name":"ida"}',
    }
    const fetch = async (request: Request) => new Response(replies[new URL(request.url).pathname] ?? '')
    const { begin, finish } = await handshake('twitter', { fetch })
    const back = new URLSearchParams({ oauth_token: 't', oauth_verifier: 'v' })
    expect((await finish(await begin(), back)).uid).toBe('1234567890123456789')
  })
})

describe('Evernote', () => {
  it("uses the configured host, and reports the token's expiry", async () => {
    const { begin } = await handshake('evernote', {
      providerSettings: { EVERNOTE_HOSTNAME: 'www.evernote.com' },
      fetch: async (request) => new Response(`oauth_token=t&oauth_token_secret=${new URL(request.url).host}`),
    })
    const { url, kept } = await begin()
    expect(url).toMatch(/^https:\/\/www\.evernote\.com\/OAuth\.action\?/)
    expect(kept).toEqual({ token: 't', secret: 'www.evernote.com' })
    const { signIn, clock } = await handshake('evernote')
    expect((await signIn()).tokens?.expiresAtMs).toBeGreaterThan(clock.now())
  })

  it('is nowhere else but on a secure host', async () => {
    const endpoints = { authorize_url: 'http://www.evernote.example/' }
    const { begin } = await handshake('evernote', { settings: { endpoints } })
    await expectFailure(begin())
  })
})
