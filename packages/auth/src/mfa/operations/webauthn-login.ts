import type { Mfa } from '../second-factors.ts'
import { type ApiResource, operation } from '../../kernel/operations/operation.ts'
import { loginAnswer } from '../../kernel/operations/login-answer.ts'
import { ASSERTION } from './webauthn-input.ts'

/** Signing in by a passkey alone. */
export const webauthnLoginResources = (mfa: Mfa): readonly ApiResource[] =>
  mfa.kernel.settings.mfa.enabled && mfa.kernel.settings.mfa.passkeyLoginEnabled
    ? [
        {
          path: 'auth/webauthn/login',
          tag: 'Authentication: passkeys',
          access: 'anon',
          operations: {
            GET: operation({
              summary: 'Options to sign in by a passkey',
              answers: { 200: 'RequestOptions', 403: 'Status', 429: 'Status' },
              async handle(visit) {
                return {
                  kind: 'data',
                  data: { request_options: await mfa.webauthn.requestOptions(visit, null) },
                }
              },
            }),
            POST: operation({
              summary: 'Sign in by a passkey',
              input: ASSERTION,
              answers: { 200: 'Authenticated' },
              handle: async (visit, { credential }) => loginAnswer(await mfa.webauthn.login(visit, credential)),
            }),
          },
        },
      ]
    : []
