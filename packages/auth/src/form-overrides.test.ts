import { afterEach, describe, expect, it } from 'vitest'
import { InvalidInput } from './errors.ts'
import type { FormId } from './compose.ts'
import type { AuthSettingsInput } from './kernel/settings/settings.ts'
import { type AuthWorld, authWorld } from './testing/auth-world.ts'
import { COLOUR, withColour } from './testing/coloured-form.ts'
import { ADA, codeTo, linkTo, member, PASSWORD, signUp } from './testing/effects/effect.ts'
import { CHANGE, LOGIN_CODES, VERIFY_CODES } from './testing/hooks/hook.ts'
import type { Visitor } from './testing/visitor.ts'

const PHONE = '+31612345678'
const NEW_PAIR = { password1: CHANGE.password1, password2: CHANGE.password2 }
const RESET_CODES = { account: { passwordResetByCodeEnabled: true } } as const
const PHONES = { account: { signupFields: ['username*', 'phone*', 'password1*'], emailVerification: 'none' } } as const

let world: AuthWorld
let texts: string[] = []
afterEach(() => world.close())

/** A visitor at a form, and what else must be posted there. */
interface AtForm {
  readonly visitor: Visitor
  readonly path: string
  readonly fields: Readonly<Record<string, string>>
}
const at = (visitor: Visitor, path: string, fields: AtForm['fields']): AtForm => ({ visitor, path, fields })
const openResetForm = async (path: string): Promise<Visitor> => {
  await world.addUser(ADA)
  const ada = world.visitor()
  await ada.post(path, { email: ADA.email })
  return ada
}
const openSignedUp = async (fields: Readonly<Record<string, string>> = {}): Promise<Visitor> => {
  const ada = world.visitor()
  await signUp(ada, fields)
  return ada
}

const forms: readonly [id: Exclude<FormId, 'user_token'>, settings: AuthSettingsInput, open: () => Promise<AtForm>][] =
  [
    [
      'add_email',
      {},
      async () => at(await member(world), '/accounts/email/', { action_add: '', email: 'b@example.org' }),
    ],
    [
      'change_email',
      { account: { ...VERIFY_CODES.account, emailVerificationSupportsChange: true } },
      async () => at(await openSignedUp(), '/accounts/confirm-email/', { action: 'change', email: 'b@example.org' }),
    ],
    ['change_password', {}, async () => at(await member(world), '/accounts/password/change/', CHANGE)],
    [
      'change_phone',
      { account: { ...PHONES.account, phoneVerificationEnabled: false, rateLimits: { change_phone: null } } },
      async () => at(await openSignedUp({ phone: PHONE }), '/accounts/phone/change/', { phone: '+31687654321' }),
    ],
    [
      'confirm_email_verification_code',
      VERIFY_CODES,
      async () => at(await openSignedUp(), '/accounts/confirm-email/', { code: await codeTo(world, ADA.email) }),
    ],
    [
      'confirm_login_code',
      LOGIN_CODES,
      async () =>
        at(await openResetForm('/accounts/login/code/'), '/accounts/login/code/confirm/', {
          code: await codeTo(world, ADA.email),
        }),
    ],
    [
      'confirm_password_reset_code',
      RESET_CODES,
      async () =>
        at(await openResetForm('/accounts/password/reset/'), '/accounts/password/reset/confirm/', {
          code: await codeTo(world, ADA.email),
        }),
    ],
    [
      'login',
      {},
      async () => {
        await world.addUser(ADA)
        return at(world.visitor(), '/accounts/login/', { login: 'ada', password: PASSWORD })
      },
    ],
    ['reauthenticate', {}, async () => at(await member(world), '/accounts/reauthenticate/', { password: PASSWORD })],
    [
      'request_login_code',
      LOGIN_CODES,
      async () => at(world.visitor(), '/accounts/login/code/', { email: 'nobody@example.org' }),
    ],
    [
      'reset_password',
      {},
      async () => at(world.visitor(), '/accounts/password/reset/', { email: 'nobody@example.org' }),
    ],
    [
      'reset_password_from_key',
      {},
      async () => {
        const ada = await openResetForm('/accounts/password/reset/')
        const { location } = await ada.get(await linkTo(world, ADA.email))
        return at(ada, location ?? '', NEW_PAIR)
      },
    ],
    [
      'set_password',
      LOGIN_CODES,
      async () => {
        await world.addUser({ username: 'ada', email: ADA.email })
        const ada = world.visitor()
        await ada.post('/accounts/login/code/', { email: ADA.email })
        await ada.post('/accounts/login/code/confirm/', { code: await codeTo(world, ADA.email) })
        return at(ada, '/accounts/password/set/', NEW_PAIR)
      },
    ],
    [
      'signup',
      {},
      async () =>
        at(world.visitor(), '/accounts/signup/', { username: 'ada', password1: PASSWORD, password2: PASSWORD }),
    ],
    [
      'verify_phone',
      PHONES,
      async () => at(await openSignedUp({ phone: PHONE }), '/accounts/phone/verify/', { code: texts.at(-1) ?? '' }),
    ],
  ]

describe('a form of a host', () => {
  it.each(forms)('%s: more fields, more rules, another save', async (id, settings, open) => {
    const kept: unknown[] = []
    texts = []
    world = await authWorld({
      settings,
      forms: withColour(id, kept),
      adapters: {
        account: { sendVerificationCodeSms: async (_request, _user, _phone, code) => void texts.push(code) },
      },
    })
    const { visitor, path, fields } = await open()
    expect((await visitor.get(path)).html).toContain('name="colour"')
    expect((await visitor.post(path, fields)).text).toContain('Favourite colour This field is required.')
    expect((await visitor.post(path, { ...fields, colour: 'grey' })).text).toContain('Grey is no colour.')
    expect(kept).toEqual([])
    const done = await visitor.post(path, { ...fields, colour: ' green ' })
    expect([done.status, kept]).toEqual([302, ['green']])
  })

  it('user_token: more rules for links', async () => {
    world = await authWorld({
      forms: {
        user_token: (base) => ({
          ...base,
          async save(request, values) {
            const user = await base.save(request, values)
            if (!user.isStaff) return user
            throw new InvalidInput([{ code: 'invalid_password_reset', message: 'Staff ask the desk.' }])
          },
        }),
      },
    })
    await world.addUser({ ...ADA, isStaff: true })
    await world.visitor().post('/accounts/password/reset/', { email: ADA.email })
    expect((await world.visitor().get(await linkTo(world, ADA.email))).status).toBe(200)
  })

  it('can store more in the sign-up transaction, with the new user', async () => {
    world = await authWorld({
      forms: {
        signup: (base) => ({
          ...base,
          fields: (request) => [...base.fields(request), COLOUR],
          save: (request, values) =>
            request.transaction(async () => {
              const signedUp = await base.save(request, values)
              if (values['colour'] === 'broken') throw new Error('a store that fails')
              const { user } = signedUp
              if (user === null) return signedUp
              const changed = await world.auth.kernel.users.update(request.db, user.id, {
                firstName: String(values['colour']),
              })
              return { ...signedUp, user: changed }
            }),
        }),
      },
    })
    const { auth } = world
    const user = async (name: string): Promise<unknown> => auth.kernel.users.byUsername(auth.kernel.database.db, name)
    expect((await signUp(world.visitor(), { colour: 'broken' })).status).toBe(500)
    expect(await user('ada')).toBeNull()
    expect((await signUp(world.visitor(), { colour: 'green' })).status).toBe(302)
    expect(await user('ada')).toMatchObject({ firstName: 'green' })
  })
})
