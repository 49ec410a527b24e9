import { afterEach, describe, expect, it } from 'vitest'
import type { AuthSettingsInput } from '../kernel/settings/settings.ts'
import { everywhere } from '../testing/api-cases.ts'
import { type AuthWorld, authWorld } from '../testing/auth-world.ts'

let world: AuthWorld
afterEach(() => world.close())

describe.each(everywhere)('config of %s', (_name, client, open) => {
  const shown = async (settings: AuthSettingsInput, isOpen = true): Promise<unknown> => {
    const account = { isOpenForSignup: () => isOpen, sendVerificationCodeSms: async () => {} }
    world = await authWorld({ settings: { headless: { enabled: true }, ...settings }, adapters: { account } }, open)
    const { body } = await world.api(client).get('config')
    const { status, data } = body as { status: number; data: unknown } // a test says by what it expects
    expect(status).toBe(200)
    return data
  }

  it('has the default settings', async () => {
    expect(await shown({}, false)).toEqual({
      account: {
        login_methods: ['username'],
        is_open_for_signup: false,
        email_verification_by_code_enabled: false,
        login_by_code_enabled: false,
        password_reset_by_code_enabled: false,
        authentication_method: 'username',
      },
    })
  })

  it('has changed settings and enabled modules', async () => {
    const account = { emailVerificationByCodeEnabled: true, loginByCodeEnabled: true, passwordResetByCodeEnabled: true }
    const data = await shown({
      account: {
        ...account,
        loginMethods: ['email', 'username'],
        signupFields: ['email*', 'password1*'],
        emailVerification: 'mandatory',
      },
      mfa: { enabled: true, supportedTypes: ['totp', 'webauthn'], passkeyLoginEnabled: true },
      usersessions: { enabled: true, trackActivity: true },
    })
    expect(data).toEqual({
      account: {
        login_methods: ['email', 'username'],
        is_open_for_signup: true,
        email_verification_by_code_enabled: true,
        login_by_code_enabled: true,
        password_reset_by_code_enabled: true,
        authentication_method: 'username_email',
      },
      mfa: { supported_types: ['totp', 'webauthn'], passkey_login_enabled: true },
      usersessions: { track_activity: true },
    })
  })

  it('has no old word for phones', async () => {
    const data = await shown({ account: { loginMethods: ['phone'], signupFields: ['phone*', 'password1*'] } })
    expect(data).not.toHaveProperty('account.authentication_method')
  })
})
