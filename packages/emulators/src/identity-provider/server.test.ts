import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { identityProviderEmulator } from './emulator.ts'

const REDIRECT = 'http://127.0.0.1:1/callback'
const mia = {
  id: '4815',
  email: 'mia@people.example',
  emailVerified: true,
  username: 'mia',
  firstName: 'Mia',
  lastName: 'Möller',
}

it('serves the providers: a browser is asked, a program is not, and the profile is that of whoever was chosen', async () => {
  const emulator = identityProviderEmulator({ now: () => Date.now(), random: randomBytes })
  emulator.signIn(mia)
  emulator.addClient('github', { clientId: 'client-1', secret: 'secret-1', redirectUris: [REDIRECT] })
  const served = await emulator.listen()
  try {
    const { authorize_url = '', token_url = '', profile_url = '' } = emulator.endpoints('github')
    expect(authorize_url).toBe(`${served.url}/github/github.com/login/oauth/authorize`)
    const query = new URLSearchParams({
      client_id: 'client-1',
      redirect_uri: REDIRECT,
      response_type: 'code',
      state: 's',
    })
    const page = `${authorize_url}?${query.toString()}`
    const asked = await fetch(page, { headers: { accept: 'text/html' } })
    const html = await asked.text()
    expect(html).toContain('Mia Möller')
    expect(html).toContain('Bo Bergström')
    for (const [, file = ''] of html.matchAll(/href="(\/demo\/[^"]+)"/g))
      expect((await fetch(`${served.url}${file}`)).status).toBe(200)

    const answer = async (said: Record<string, string>): Promise<URLSearchParams> => {
      const reply = await fetch(page, { method: 'POST', body: new URLSearchParams(said), redirect: 'manual' })
      return new URL(reply.headers.get('location') ?? '').searchParams
    }
    expect((await answer({ emulated_person: '2342', emulated_answer: 'refuse' })).get('error')).toBe('access_denied')
    const code = (await answer({ emulated_person: '2342', emulated_answer: 'allow' })).get('code') ?? ''
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'client-1',
      client_secret: 'secret-1',
      redirect_uri: REDIRECT,
      code,
    })
    const tokens = await fetch(token_url, { method: 'POST', body, headers: { accept: 'application/json' } })
    const { access_token } = (await tokens.json()) as Record<string, string> // used by the next request
    const profile = await fetch(profile_url, { headers: { authorization: `token ${access_token}` } })
    expect(await profile.json()).toMatchObject({ id: 2342, login: 'bo' })

    const program = await fetch(page, { redirect: 'manual' })
    expect(new URL(program.headers.get('location') ?? '').searchParams.get('state')).toBe('s')
    emulator.fail('github', 'profile', 'reset')
    await expect(fetch(profile_url)).rejects.toThrow('fetch failed')
    expect((await fetch(`${served.url}/`)).status).toBe(404)
    expect((await fetch(`${served.url}/github/%`)).status).toBe(404)
  } finally {
    await served.close()
  }
  expect(emulator.endpoints('github')['profile_url']).toBe('https://api.github.com/user')
})

it('asks a browser that comes with a message of OpenID, too', async () => {
  const emulator = identityProviderEmulator({ now: () => Date.now(), random: randomBytes })
  emulator.signIn(mia)
  const served = await emulator.listen()
  const answered = async (page: string, said: 'allow' | 'refuse'): Promise<URLSearchParams> => {
    const asked = await fetch(page, { headers: { accept: 'text/html' } })
    expect(await asked.text()).toContain('Mia Möller')
    const body = new URLSearchParams({ emulated_answer: said, emulated_person: '4815' })
    const reply = await fetch(page, { method: 'POST', body, redirect: 'manual' })
    return new URL(reply.headers.get('location') ?? '').searchParams
  }
  try {
    const message = {
      'openid.ns': 'http://specs.openid.net/auth/2.0',
      'openid.mode': 'checkid_setup',
      'openid.return_to': REDIRECT,
      'openid.realm': 'http://127.0.0.1:1/',
    }
    const steam = `${served.url}/steam/steamcommunity.com/openid/login?${new URLSearchParams(message).toString()}`
    expect((await answered(steam, 'allow')).get('openid.claimed_id')).toBe('https://steamcommunity.com/openid/id/4815')
    expect((await answered(steam, 'refuse')).get('openid.mode')).toBe('cancel')
    const posted = await emulator.fetch(
      new Request('https://steamcommunity.com/openid/login', { method: 'POST', body: new URLSearchParams(message) }),
    )
    expect(posted.headers.get('location')).toContain('openid.sig=')
  } finally {
    await served.close()
  }
})

it('is found at its served address by those who discover it', async () => {
  const emulator = identityProviderEmulator({ now: () => Date.now(), random: randomBytes })
  const served = await emulator.listen()
  try {
    const { appSettings } = emulator.setup('openid_connect')
    const issuer = `${served.url}/openid_connect/login.idp.example`
    expect(appSettings).toEqual({ server_url: issuer })
    const found = await fetch(`${issuer}/.well-known/openid-configuration`)
    expect(await found.json()).toMatchObject({ issuer, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys` })
  } finally {
    await served.close()
  }
})
