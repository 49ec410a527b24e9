import { describe, expect, it } from 'vitest'
import { accountsWorld, PASSWORD } from '../../testing/accounts-world.ts'
import type { BrowserSession } from '../../testing/browser-session.ts'

const VICTIM = 'victim@example.org'
const NEW = 'velvet-plinth-orbit 77'
const OPEN = { GATEPOST_SIGNUP: 'open' }

const createToken = async (by: BrowserSession): Promise<string> => {
  const answer = await by.call('POST', '/api/tokens', { name: 'program', expires_in: null, scopes: ['account'] })
  expect(answer.status).toBe(200)
  return (answer.json() as { readonly token: string }).token // the shape that openapi.test.ts holds the route to
}
const pathIn = (text: string): string => new URL(/http\S+/.exec(text)?.[0] ?? '').pathname

describe("tokens of someone who signed up with another person's address", () => {
  it('end, with those they created, when that person resets the password', async () => {
    await using world = await accountsWorld({ ...OPEN, ACCOUNT_EMAIL_VERIFICATION: 'optional' })
    await world.first()
    const mallory = world.browser()
    await mallory.submit('/accounts/signup/', { email: VICTIM, password1: PASSWORD, password2: PASSWORD })
    const token = await createToken(mallory)
    const { body } = await world.ask('POST', '/api/tokens', { token, body: { name: 'child', scopes: ['account'] } })
    const child = String(body['token'])
    const statuses = async (): Promise<readonly number[]> =>
      Promise.all([token, child].map(async (each) => (await world.ask('GET', '/api/me', { token: each })).status))
    expect(await statuses()).toEqual([200, 200])

    const victim = world.browser()
    await victim.submit('/accounts/password/reset/', { email: VICTIM })
    const opened = await victim.get(pathIn((await world.mailTo(VICTIM)).text))
    await victim.submit(opened.location ?? '', { password1: NEW, password2: NEW })
    expect(await statuses()).toEqual([401, 401])
    expect((await mallory.get('/api/me')).status).toBe(401)
  })

  it('can never be created, because sign-up is only complete with a verified address', async () => {
    await using world = await accountsWorld(OPEN)
    await world.first()
    const mallory = world.browser()
    await mallory.submit('/accounts/signup/', { email: VICTIM, password1: PASSWORD, password2: PASSWORD })
    expect((await mallory.get('/api/me')).status).toBe(401)
  })
})
