import type { Core } from '../../core.ts'
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
export function webauthnFlow(core: () => Core): WebauthnFlow {
  return {
    async creationOptions(request, user, { passwordless }) {
      await refuseUnverified(core(), request, user)
      return creationOptions(core(), request, user, { purpose: 'add', passwordless })
    },
    add: (request, user, given) => addKey(core(), request, user, given),
    rename: (request, user, authenticator, name) => renameKey(core(), request, user, authenticator, name),
    remove: (request, user, authenticators) => removeKeys(core(), request, user, authenticators),
    async requestOptions(request, user) {
      if (user === null) await takePasskeyLogin(core(), request)
      return requestOptions(core(), request, user)
    },
    authenticate: (request, user, credential, options) => authenticateByKey(core(), request, user, credential, options),
    login: (request, credential) => loginByPasskey(core(), request, credential),
    beginSignup: (request, values) => beginPasskeySignup(core(), request, values),
    signupOptions: (request, user) => passkeySignupOptions(core(), request, user),
    completeSignup: (request, user, given) => completePasskeySignup(core(), request, user, given),
  }
}

/** Anybody may ask, and each time a challenge is stored. @throws {AuthError} `permission_denied`, `rate_limited` */
async function takePasskeyLogin({ settings, limits }: Core, request: Visit): Promise<void> {
  if (!settings.mfa.passkeyLoginEnabled) throw new AuthError('permission_denied')
  await takeForVisitor(limits, 'login_webauthn', request)
}
