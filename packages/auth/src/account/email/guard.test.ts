import { afterEach, describe, expect, it } from 'vitest'
import { type AuthWorld, authWorld, ORIGIN } from '../../testing/auth-world.ts'
import type { Visitor } from '../../testing/visitor.ts'

const PASSWORD = 'a made-up pass phrase'
const ADA = 'ada@example.org'

type Account = NonNullable<NonNullable<NonNullable<Parameters<typeof authWorld>[0]>['settings']>['account']>

let world: AuthWorld
const open = async (account: Account, verified: boolean): Promise<Visitor> => {
  world = await authWorld({ settings: { account } })
  await world.addUser({ username: 'ada', email: ADA, password: PASSWORD, verified })
  const visitor = world.visitor()
  await visitor.login('ada', PASSWORD)
  return visitor
}
afterEach(() => world.close())

/** Returns the guard's answer to this visitor on a page of the host. */
async function callEmailGuard(
  visitor: Visitor,
): Promise<{ status: number; location: string | null; text: string } | null> {
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const request = new Request(`${ORIGIN}/paper?x=1`, { headers: { cookie, host: new URL(ORIGIN).host } })
  const guard = await world.auth.guards.verifiedEmailRequired(request, { remoteAddress: '192.0.2.1' })
  if (guard.ok) return null
  for (const line of guard.response.headers.getSetCookie()) {
    const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=')
    visitor.cookies.set(name, value)
  }
  const { status, headers } = guard.response
  return { status, location: headers.get('location'), text: await guard.response.text() }
}

describe('a page that requires a verified address', () => {
  it('is open to users who have one', async () => {
    expect(await callEmailGuard(await open({}, true))).toBeNull()
  })

  it('redirects anonymous visitors to sign in, and back', async () => {
    await open({}, true)
    expect((await callEmailGuard(world.visitor()))?.location).toContain('/accounts/login/?next=/paper%3Fx%3D1')
  })

  it('mails others a link, as often as the limit allows', async () => {
    const ada = await open({}, false)
    expect(await callEmailGuard(ada)).toMatchObject({
      status: 200,
      text: expect.stringContaining('Verify your email address'),
    })
    await callEmailGuard(ada)
    expect((await world.mails()).map(({ to }) => to)).toEqual([ADA])
  })

  it('mails others a code, and continues once it is entered', async () => {
    const ada = await open(
      {
        loginMethods: ['email', 'username'],
        signupFields: ['email*', 'password1*'],
        emailVerification: 'mandatory',
        emailVerificationByCodeEnabled: true,
      },
      true,
    )
    await world.auth.kernel.database.db.updateTable('account_emailaddress').set({ verified: false }).execute()
    expect((await callEmailGuard(ada))?.location).toBe('/accounts/confirm-email/?next=/paper%3Fx%3D1')
    expect((await callEmailGuard(ada))?.status).toBe(302)
    expect(await world.mails()).toHaveLength(1)
    const code = /[B-Z]{4}-[B-Z]{4}/.exec((await world.mailTo(ADA)).text)?.[0] ?? ''
    expect((await ada.post('/accounts/confirm-email/?next=/paper%3Fx%3D1', { code })).location).toBe('/paper?x=1')
    expect(await callEmailGuard(ada)).toBeNull()
  })
})
