import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import type { ApiAnswered } from '../../testing/api-visitor.ts'
import { ORIGIN } from '../../testing/auth-world.ts'
import { type PublicKeyOptions, softwareAuthenticator } from '../../testing/authenticator.ts'
import { ADA, PASSWORD } from '../../testing/effects/effect.ts'
import { type MfaWorld, mfaWorld, SECRET, SECRET_URL } from '../testing-bench.ts'

const STAGE = '/accounts/2fa/authenticate/'
const HOME = '/accounts/profile/'

/** What a browser is to ask an authenticator with. */
function readRequestOptions({ body }: ApiAnswered, name: string): PublicKeyOptions {
  const { data } = body as { data: Readonly<Record<string, { publicKey: PublicKeyOptions }>> } // as the API answers
  return data[name]?.publicKey ?? {}
}

describe.each(testDatabases)('a second step with a session conflict on %s', (_name, open) => {
  let world: MfaWorld
  afterEach(() => world.close())

  const withApp = async (): Promise<void> => {
    world = await mfaWorld(open, {
      mfa: { supportedTypes: ['totp', 'webauthn', 'recovery_codes'] },
      headless: { enabled: true },
    })
    await world.imported(await world.addUser(ADA), 'totp', { secret: SECRET })
  }
  /** Once, between the write that uses up a factor and the end of the login. @param token Of the session. */
  const meddle = (token: () => string | null | undefined): (() => number) => {
    let times = 0
    world.auth.signals.on('authenticator_used', async () => {
      times += 1
      if (times > 1) return
      const { auth } = world
      const reference = { kind: 'token', token: token() ?? '' } as const
      const session = await auth.kernel.sessions.open(reference, {
        nowMs: auth.kernel.clock.now(),
        ip: null,
        userAgent: '',
      })
      session.set('elsewhere', 1)
      await session.save()
    })
    return () => times
  }

  it('is passed by a code on its page', async () => {
    await withApp()
    const ada = world.visitor()
    await ada.login('ada', PASSWORD)
    const times = meddle(() => ada.cookies.get(world.auth.settings.sessionCookieName))
    expect((await ada.post(STAGE, { code: world.appCode(SECRET_URL) })).location).toBe(HOME)
    expect(await ada.whoami()).toBe('ada')
    expect(times()).toBe(1)
  })

  it('is passed by a code of an app', async () => {
    await withApp()
    const api = world.api('app')
    await api.post('auth/login', { username: 'ada', password: PASSWORD })
    const times = meddle(() => api.sessionToken)
    const answer = await api.post('auth/2fa/authenticate', { code: world.appCode(SECRET_URL) })
    expect(answer).toMatchObject({ status: 200, body: { data: { user: { username: 'ada' } } } })
    expect(answer).toMatchObject({ body: { data: { methods: [{ method: 'password' }, { method: 'mfa' }] } } })
    expect(times()).toBe(1)
  })

  it('is passed by a key of an app', async () => {
    await withApp()
    const key = softwareAuthenticator({ origin: ORIGIN })
    const api = world.api('app')
    await api.post('auth/login', { username: 'ada', password: PASSWORD })
    await api.post('auth/2fa/authenticate', { code: world.appCode(SECRET_URL) })
    const options = await api.get('account/authenticators/webauthn')
    const credential = key.create(readRequestOptions(options, 'creation_options'))
    expect((await api.post('account/authenticators/webauthn', { credential })).status).toBe(200)
    const other = world.api('app')
    await other.post('auth/login', { username: 'ada', password: PASSWORD })
    const asked = await other.get('auth/webauthn/authenticate')
    const times = meddle(() => other.sessionToken)
    const signed = key.get(readRequestOptions(asked, 'request_options'))
    expect((await other.post('auth/webauthn/authenticate', { credential: signed })).status).toBe(200)
    expect(times()).toBe(1)
  })

  it('is not required again if the process died after the code was used up', async () => {
    await withApp()
    const api = world.api('app')
    await api.post('auth/login', { username: 'ada', password: PASSWORD })
    world.auth.signals.on('authenticator_used', () => Promise.reject(new Error('the process dies')))
    expect((await api.post('auth/2fa/authenticate', { code: world.appCode(SECRET_URL) })).status).toBe(500)
    const waiting: unknown = expect.objectContaining({ id: 'mfa_authenticate', is_pending: true })
    expect(await api.get('auth/session')).toMatchObject({
      body: { data: { flows: expect.arrayContaining([waiting]) } },
    })
    expect((await api.post('auth/2fa/authenticate', { code: world.appCode(SECRET_URL) })).status).toBe(200)
  })
})
