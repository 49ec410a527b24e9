import { createAuth } from '@gatepost/auth'
import { openDatabase } from '@gatepost/sql'

type Auth = Awaited<ReturnType<typeof createAuth>>

/**
 * Runs `read` with an in-memory instance that has every page and the whole JSON API.
 * @param byCode Whether verification and reset use codes; otherwise links.
 */
export async function withAuth<T>(read: (auth: Auth) => T | Promise<T>, byCode = false): Promise<T> {
  const database = await openDatabase({ file: ':memory:' })
  const auth = await createAuth({
    database,
    secretKey: 'a sample key for the tables of the manual',
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
