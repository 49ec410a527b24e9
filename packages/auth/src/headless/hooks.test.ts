import { afterEach, describe, expect, it } from 'vitest'
import { type AuthWorld, authWorld, ORIGIN } from '../testing/auth-world.ts'

type Options = NonNullable<Parameters<typeof authWorld>[0]>
const PASSWORD = 'a made-up pass phrase'
const LOGIN = { email: 'ada@example.org', password: PASSWORD }

let world: AuthWorld
afterEach(() => world.close())

async function open({ settings, ...options }: Options = {}): Promise<void> {
  const account = { loginMethods: ['email'], ...settings?.account } as const
  world = await authWorld({
    ...options,
    settings: { ...settings, account, headless: { enabled: true, ...settings?.headless } },
  })
}

it('offers reauthentication by password where pages do', async () => {
  await open({
    settings: { mfa: { enabled: true } },
    adapters: {
      account: ({ getReauthenticationMethods }) => ({
        getReauthenticationMethods: async (request, user) =>
          (await getReauthenticationMethods(request, user)).filter(({ id }) => id !== 'reauthenticate'),
      }),
    },
  })
  const { auth } = world
  const { id: userId } = await world.addUser({ username: 'ada', ...LOGIN })
  const api = world.api('app')
  expect((await api.post('auth/login', LOGIN)).status).toBe(200)
  const data = { seed: '0123456789abcdef'.repeat(5), used_mask: 0 }
  const codes = { userId, type: 'recovery_codes', data, createdAtMs: world.clock.now() } as const
  await auth.module('mfa').authenticators.insert(auth.kernel.database.db, codes)
  world.clock.advance(3_600_000)
  const refused = await api.get('account/authenticators/recovery-codes')
  expect(refused).toMatchObject({ status: 401, body: { meta: { is_authenticated: true } } })
  expect(refused).toHaveProperty('body.data.flows', [{ id: 'mfa_reauthenticate', types: ['recovery_codes'] }])
})

describe('a user', () => {
  const shown = async (): Promise<unknown> => (await world.api('app').post('auth/login', LOGIN)).body

  it('is shown with name, address, and whether there is a password', async () => {
    await open()
    await world.addUser({ username: 'ada', ...LOGIN })
    const user = { id: 1, display: 'ada', email: LOGIN.email, username: 'ada', has_usable_password: true }
    expect(await shown()).toMatchObject({ data: { user } })
    expect(await shown()).toHaveProperty('data.user', user)
  })

  it('has the primary address also where the table of users has no place for it', async () => {
    const columns = { email: null, username: null }
    await open({
      settings: {
        userTable: { columns },
        account: { userModelEmailField: null, userModelUsernameField: null, signupFields: ['email*', 'password1*'] },
      },
    })
    const user = await world.addUser({ password: PASSWORD })
    const { auth } = world
    await auth.account.emails.insert(auth.kernel.database.db, {
      userId: user.id,
      email: LOGIN.email,
      verified: true,
      primary: true,
    })
    expect(await shown()).toMatchObject({ data: { user: { id: 1, email: LOGIN.email, has_usable_password: true } } })
    expect(await shown()).not.toHaveProperty('data.user.username')
  })

  it('is shown as the host wants it', async () => {
    await open({
      adapters: {
        headless: ({ serializeUser }) => ({
          serializeUser: async (request, user) => ({
            ...(await serializeUser(request, user)),
            plan: 'free',
            nickname: '',
          }),
        }),
      },
    })
    await world.addUser({ username: 'ada', ...LOGIN })
    expect(await shown()).toMatchObject({ data: { user: { id: 1, plan: 'free' } } })
    expect(await shown()).not.toHaveProperty('data.user.nickname')
  })
})

describe('a link of the front end', () => {
  const CODE = { account: { emailVerification: 'mandatory', signupFields: ['email*', 'password1*'] } } as const
  /** The link of the mail that an app's sign-up has sent. */
  const mailed = async (): Promise<string | undefined> => {
    await world.api('app').post('auth/signup', { email: 'bo@example.org', password: PASSWORD })
    return /https?:\/\/\S+/.exec((await world.mailTo('bo@example.org')).text)?.[0]
  }

  it.each([
    ['https://app.test/verify?key={key}', 'https://app.test/verify?key='],
    ['/verify/{key}', `${ORIGIN}/verify/`],
  ])('%s has the key in it, encoded, and is absolute', async (account_confirm_email, start) => {
    await open({ settings: { ...CODE, headless: { frontendUrls: { account_confirm_email } } } })
    const link = await mailed()
    expect(link?.startsWith(start)).toBe(true)
    expect(link?.slice(start.length)).toMatch(/^[\w-]+%3A\w+%3A[\w-]+$/)
  })

  it('may come from the host', async () => {
    await open({
      settings: CODE,
      adapters: {
        headless: {
          getFrontendUrl: (_request, name, params) =>
            `https://host.test/${name}#${params?.['key'] === '' ? '' : 'key'}`,
        },
      },
    })
    expect(await mailed()).toBe('https://host.test/account_confirm_email#key')
  })

  it('leads to the page if none is configured', async () => {
    await open({ settings: CODE })
    expect(await mailed()).toContain(`${ORIGIN}/accounts/confirm-email/`)
  })
})
