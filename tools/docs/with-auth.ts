import { createAuth } from '@gatepost/auth'
import { openDatabase } from '@gatepost/sql'

type Auth = Awaited<ReturnType<typeof createAuth>>

/** An instance in memory that has every page of its kind, and the whole JSON API. @param byCode By links otherwise. */
export async function withAuth<T>(read: (auth: Auth) => T | Promise<T>, byCode = false): Promise<T> {
  const database = await openDatabase({ file: ':memory:' })
  const auth = await createAuth({
    database,
    secretKey: 'a made-up key for the tables of the manual',
    adapters: { account: { sendVerificationCodeSms: async () => {} } },
    settings: {
      development: true,
      account: {
        loginMethods: ['email'],
        signupFields: ['email*', 'phone', 'password1*'],
        loginByCodeEnabled: true,
        emailVerification: 'mandatory',
        emailVerificationByCodeEnabled: byCode,
        passwordResetByCodeEnabled: byCode,
      },
      mfa: {
        enabled: true,
        supportedTypes: ['totp', 'webauthn', 'recovery_codes'],
        passkeyLoginEnabled: true,
        passkeySignupEnabled: byCode,
        trustEnabled: true,
      },
      usersessions: { enabled: true },
      socialaccount: { enabled: true },
      idpOidc: { enabled: true, dynamicClientRegistrationEnabled: true },
      headless: { enabled: true, serveSpecification: true },
    },
  })
  try {
    return await read(auth)
  } finally {
    await auth.close()
    await database.close()
  }
}
