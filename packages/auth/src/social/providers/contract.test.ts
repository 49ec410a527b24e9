import { describe, expect, it } from 'vitest'
import { ProviderError, type ProviderIdentity } from '../exchange.ts'
import { CALLBACK, handshake, IDA, STATE } from '../oauth2/testing-handshake.ts'
import { PROVIDER_FACTS } from './testing-facts.ts'

const OAUTH2 = PROVIDER_FACTS.filter(([, , protocol]) => protocol === 'oauth2')

/** Where the rules of this package are others than those that the documents were read by. */
const OTHERWISE: Readonly<Record<string, object>> = {
  slack: { name: 'Ida Bär' },
}

/** Parameters that have other names on the page of a provider; empty: none is sent. */
const CLIENT_ID: Readonly<Record<string, string>> = { feishu: 'app_id', tiktok: 'client_key', weixin: 'appid' }
const REDIRECT_URI: Readonly<Record<string, string>> = { notion: '', untappd: 'redirect_url' }
const WITHOUT_PKCE: readonly string[] = ['dingtalk', 'feishu', 'linkedin_oauth2', 'notion', 'tiktok', 'weixin']
const EMAIL_IS_ID: readonly string[] = ['drip', 'hubic']
const CODE: Readonly<Record<string, string>> = { dingtalk: 'authCode' }
/** Scopes that are asked for differently, or always. */
const SCOPE: Readonly<Record<string, string>> = { authentiq: 'openid aq:name aq:push email~rs' }

const splitFact = (text: string): readonly string[] => text.split('|').filter((part) => part !== '')

const toIdentityFacts = ({ uid, emails, username, firstName, lastName, name }: ProviderIdentity) => {
  const email = emails.find(({ primary }) => primary) ?? emails[0]
  return {
    uid,
    email: email?.email ?? null,
    emailVerified: email?.verified ?? false,
    username: username || null,
    firstName: firstName || null,
    lastName: lastName || null,
    name: name || null,
  }
}

describe('a person', () => {
  it.each(OAUTH2)('signs in at %s', async (id, _name, _protocol, _login, _callback, delimiter, scopes, emailScopes) => {
    const { emulator, begin, visit, finish, clock } = await handshake(id)
    const begun = await begin()
    const asked = new URL(begun.url).searchParams
    expect(asked.get('state')).toBe(STATE)
    expect(asked.get(CLIENT_ID[id] ?? 'client_id')).toBe('our-client')
    const redirectUri = REDIRECT_URI[id] ?? 'redirect_uri'
    expect(asked.get(redirectUri)).toBe(redirectUri === '' ? null : CALLBACK)
    expect(asked.get('scope') ?? '').toBe(
      SCOPE[id] ?? [...splitFact(scopes), ...splitFact(emailScopes)].join(delimiter),
    )
    expect(asked.get('code_challenge_method')).toBe(WITHOUT_PKCE.includes(id) ? null : 'S256')
    const identity = await finish(begun, await visit(begun.url))
    expect(toIdentityFacts(identity)).toEqual({ ...emulator.expected(id, IDA), ...OTHERWISE[id] })
    const { tokens, extraData } = identity
    expect(tokens?.token).toMatch(/^.{16,}$/)
    expect(tokens?.expiresAtMs ?? null).toSatisfy((at: number | null) => at === null || at === clock.now() + 3_600_000)
    for (const secret of [tokens?.token, tokens?.tokenSecret, 'a-made-up-secret']) {
      if (secret !== undefined && secret !== '') expect(JSON.stringify(extraData)).not.toContain(secret)
    }
  })

  it.each(OAUTH2)('with an unverified address, or none, is reported as such by %s', async (id) => {
    const { emulator, signIn } = await handshake(id)
    const unverified = { ...IDA, emailVerified: false }
    emulator.signIn(unverified)
    expect(toIdentityFacts(await signIn())).toEqual({ ...emulator.expected(id, unverified), ...OTHERWISE[id] })
    const alone = { ...IDA, id: '20250118', email: null, emailVerified: false }
    emulator.signIn(alone)
    if (EMAIL_IS_ID.includes(id)) await expect(signIn()).rejects.toThrow('no id')
    else
      expect(toIdentityFacts(await signIn())).toEqual({
        ...emulator.expected(id, alone),
        ...OTHERWISE[id],
        emailVerified: false,
      })
  })

  it.each(OAUTH2)('who can withhold the address at %s can sign in all the same', async (...facts) => {
    const [id, , , , , delimiter, scopes, emailScopes] = facts
    const { begin, visit, finish } = await handshake(id, { queryEmail: false })
    const begun = await begin()
    const asked = (new URL(begun.url).searchParams.get('scope') ?? '').split(delimiter)
    for (const scope of splitFact(emailScopes)) expect(asked).not.toContain(scope)
    expect(asked).toEqual(expect.arrayContaining([...splitFact(scopes)]))
    expect((await finish(begun, await visit(begun.url))).uid).not.toBe('')
  })
})

/** What an attempt failed with. Neither code nor secret is in it, nor a reply. */
async function failure(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(
    () => null,
    (error: unknown) => error,
  )
  if (!(error instanceof ProviderError)) throw new Error('no failure of the provider', { cause: error })
  const told = [error.message, error.cause instanceof Error ? error.cause.message : ''].join(' ')
  expect(told).not.toMatch(/a-made-up-secret|cut o|Internal Server|refused\./)
  return error.code
}

describe('no one signs in', () => {
  it.each(OAUTH2)('with a bad callback of %s', async (id) => {
    const { emulator, begin, visit, finish, clock, mend } = await handshake(id)
    const codeParam = CODE[id] ?? 'code'
    emulator.fail(id, 'authorize', 'denied')
    const refused = await begin()
    expect(await failure(finish(refused, await visit(refused.url)))).toBe('cancelled')
    emulator.fail(id, 'authorize', 'error')
    expect(await failure(finish(refused, await visit(refused.url)))).toBe('unknown')
    mend()

    const begun = await begin()
    const params = await visit(begun.url)
    const code = params.get(codeParam) ?? ''
    expect(code).not.toBe('')
    const changed = (change: (params: URLSearchParams) => void): URLSearchParams => {
      const copy = new URLSearchParams(params)
      change(copy)
      return copy
    }
    const before = emulator.requests.length
    expect(
      await failure(
        finish(
          begun,
          changed((copy) => copy.delete(codeParam)),
        ),
      ),
    ).toBe('unknown')
    expect(
      await failure(
        finish(
          begun,
          changed((copy) => copy.append(codeParam, code)),
        ),
      ),
    ).toBe('unknown')
    expect(emulator.requests).toHaveLength(before)
    expect(
      await failure(
        finish(
          begun,
          changed((copy) => copy.set(codeParam, `${code}x`)),
        ),
      ),
    ).toBe('unknown')
    expect((await finish(begun, params)).uid).not.toBe('')
    expect(await failure(finish(begun, params))).toBe('unknown') // a second time

    const slow = await visit(begun.url)
    clock.advance(3_600_000)
    expect(await failure(finish(begun, slow))).toBe('unknown')
  })

  it.each(OAUTH2)("with another user's code at %s", async (id) => {
    const { begin, visit, finish } = await handshake(id)
    const [ours, theirs] = [await begin(), await begin()]
    const stolen = await visit(theirs.url)
    // Without PKCE the state alone keeps foreign codes out: the flow checks it before this.
    const outcome = finish(ours, stolen).then(
      () => 'signed in',
      () => 'refused',
    )
    const isProtected = !WITHOUT_PKCE.includes(id)
    expect(await outcome).toBe(isProtected ? 'refused' : 'signed in')
  })

  it.each(OAUTH2)('while %s does not work', async (id) => {
    const { emulator, signIn, hang, mend } = await handshake(id)
    for (const fault of ['error', 'status_500', 'malformed', 'reset', 'no_token'] as const) {
      emulator.fail(id, 'token', fault)
      expect([fault, await failure(signIn())]).toEqual([fault, 'unknown'])
    }
    hang('token')
    expect(await failure(signIn())).toBe('unknown')
    mend()
    const count = emulator.requests.length
    await signIn()
    const asked = emulator.requests.slice(count).map(({ kind }) => kind)
    if (asked.includes('profile')) {
      for (const fault of ['error', 'status_500', 'malformed', 'reset', 'no_uid'] as const) {
        emulator.fail(id, 'profile', fault)
        expect([fault, await failure(signIn())]).toEqual([fault, 'unknown'])
      }
      hang('profile')
    } else {
      emulator.fail(id, 'token', 'no_uid')
    }
    expect(await failure(signIn())).toBe('unknown')
    mend()
    expect((await signIn()).uid).not.toBe('')
  })
})
