import { testDatabases } from '@gatepost/sql/testing'
import { describe, expect, it } from 'vitest'
import { InvalidInput } from '../../errors.ts'
import type { SignupForm } from '../../kernel/forms/form.ts'
import { authWorld } from '../../testing/auth-world.ts'
import { signupView } from './pages.ts'

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

it("serves a page with a form class of the host's own", async () => {
  const joined: string[] = []
  const world = await authWorld({
    pages: (parts) => [
      signupView(parts, {
        name: 'club_signup',
        path: 'club/signup/',
        form: (base) => ({
          ...base,
          fields: (request) => [
            ...base.fields(request),
            { name: 'club', label: 'Club', type: 'text', required: true, maxLength: 30 },
          ],
          async save(request, values) {
            const saved = await base.save(request, values)
            joined.push(`${saved.user?.username ?? 'nobody'} ${String(values['club'])}`)
            return saved
          },
        }),
      }),
    ],
  })
  const visitor = world.visitor()
  const path = '/accounts/club/signup/'
  expect((await visitor.get(path)).html).toContain('name="club"')
  expect((await visitor.get('/accounts/signup/')).html).not.toContain('name="club"')
  const form = { ...ADA, username: 'ada' }
  expect((await visitor.post(path, form)).text).toContain('This field is required.')
  expect((await visitor.post(path, { ...form, club: 'x'.repeat(31) })).status).toBe(200)
  expect((await visitor.post(path, { ...form, club: 'chess' })).status).toBe(302)
  expect([await visitor.whoami(), joined]).toEqual(['ada', ['ada chess']])
  const other = world.visitor()
  await other.post('/accounts/signup/', { ...ADA, email: 'bob@example.org', username: 'bob' })
  expect([await other.whoami(), joined.length]).toEqual(['bob', 1])
  expect((await other.get(path)).status).toBe(302)
  await world.close()
})
