import { testDatabases } from '@gatepost/sql/testing'
import { describe, expect, it } from 'vitest'
import { InvalidInput } from '../../errors.ts'
import type { SignupForm } from '../../kernel/forms/form.ts'
import { authWorld } from '../../testing/auth-world.ts'

const ADA = { email: 'ada@example.org', password1: 'a lighthouse keeper', password2: 'a lighthouse keeper' }

describe.each(testDatabases)('fields of the host at sign-up on %s', (_name, open) => {
  it('are required, validated, and saved in the transaction of the account', async () => {
    const kept: string[] = []
    const signupForm: SignupForm = {
      fields: () => [
        { name: 'first_name', label: 'First name', type: 'text', required: true, maxLength: 30 },
        { name: 'club', label: 'Club', type: 'text', required: false },
      ],
      async clean(_request, values) {
        if (values['club'] === 'closed')
          throw new InvalidInput([{ code: 'club_closed', message: 'Closed.', param: 'club' }])
        return values
      },
      async signup(request, user, values) {
        const rows = await request.db.selectFrom('account_emailaddress').selectAll().execute()
        kept.push(`${user.firstName} ${String(values['club'])} ${rows.length}`)
        if (values['club'] === 'broken')
          throw new InvalidInput([{ code: 'club_full', message: 'Full.', param: 'club' }])
      },
    }
    const world = await authWorld(
      {
        signupForm,
        settings: { account: { loginMethods: ['email'], signupFields: ['email*', 'password1*', 'password2*'] } },
      },
      open,
    )
    const visitor = world.visitor()
    expect((await visitor.get('/accounts/signup/')).html).toContain('name="first_name"')
    expect((await visitor.post('/accounts/signup/', ADA)).status).toBe(200)
    expect((await visitor.post('/accounts/signup/', { ...ADA, first_name: 'Ada', club: 'closed' })).text).toContain(
      'Closed.',
    )
    expect((await visitor.post('/accounts/signup/', { ...ADA, first_name: 'Ada', club: 'broken' })).text).toContain(
      'Full.',
    )
    expect(await world.auth.kernel.users.any(world.auth.kernel.database.db)).toBe(false)
    expect((await visitor.post('/accounts/signup/', { ...ADA, first_name: 'Ada', club: 'chess' })).status).toBe(302)
    expect(await visitor.whoami()).toBe('ada')
    expect(kept).toEqual(['Ada broken 0', 'Ada chess 0'])
    await world.close()
  })
})

it('offers no sign-up where it is closed', async () => {
  const world = await authWorld({ adapters: { account: { isOpenForSignup: () => false } } })
  const login = await world.visitor().get('/accounts/login/')
  expect(login.html).not.toContain('/accounts/signup/')
  expect((await world.visitor().get('/accounts/signup/')).text).toMatch(/closed/i)
  await world.close()
})
