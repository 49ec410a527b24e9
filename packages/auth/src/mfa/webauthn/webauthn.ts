import type { Mfa } from '../second-factors.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { AuthError } from '../../errors.ts'
import type { WebauthnFlow } from '../../mfa/mfa.ts'
import { refuseUnverified } from '../may-enable.ts'
import { takeForVisitor } from '../../kernel/limits/take.ts'
import type { Visit } from '../../kernel/visit.ts'
import { addKey } from './add.ts'
import { authenticateByKey, loginByPasskey } from './authenticate.ts'
import { removeKeys, renameKey } from './manage.ts'
import { creationOptions, requestOptions } from './options.ts'
import { beginPasskeySignup, completePasskeySignup, passkeySignupOptions } from './signup.ts'

/** Security keys and passkeys of one instance. @param core Asked at each call: they are part of it. */
export function webauthnFlow(mfa: Mfa): WebauthnFlow {
  return {
    async creationOptions(request, user, { passwordless }) {
      await refuseUnverified(mfa.account, request, user)
      return creationOptions(mfa, request, user, { purpose: 'add', passwordless })
    },
    add: (request, user, given) => addKey(mfa, request, user, given),
    rename: (request, user, authenticator, name) => renameKey(mfa, request, user, authenticator, name),
    remove: (request, user, authenticators) => removeKeys(mfa, request, user, authenticators),
    async requestOptions(request, user) {
      if (user === null) await takePasskeyLogin(mfa.kernel, request)
      return requestOptions(mfa, request, user)
    },
    authenticate: (request, user, credential, options) => authenticateByKey(mfa, request, user, credential, options),
    login: (request, credential) => loginByPasskey(mfa, request, credential),
    beginSignup: (request, values) => beginPasskeySignup(mfa.account, request, values),
    signupOptions: (request, user) => passkeySignupOptions(mfa, request, user),
    completeSignup: (request, user, given) => completePasskeySignup(mfa, request, user, given),
  }
}

/** Anybody may ask, and each time a challenge is stored. @throws {AuthError} `permission_denied`, `rate_limited` */
async function takePasskeyLogin(
  { settings, limits }: Pick<Kernel, 'settings' | 'limits'>,
  request: Visit,
): Promise<void> {
  if (!settings.mfa.passkeyLoginEnabled) throw new AuthError('permission_denied')
  await takeForVisitor(limits, 'login_webauthn', request)
}
