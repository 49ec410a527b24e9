import { type ApiModule, operation } from '../endpoint.ts'
import { loginAnswer } from '../login-answer.ts'
import { ASSERTION } from './webauthn-input.ts'

/** Signing in by a passkey alone. */
export const webauthnLoginResources: ApiModule = ({ settings: { mfa } }) =>
  mfa.enabled && mfa.passkeyLoginEnabled
    ? [
        {
          path: 'auth/webauthn/login',
          tag: 'Authentication: passkeys',
          access: 'anon',
          operations: {
            GET: operation({
              summary: 'Options to sign in by a passkey',
              answers: { 200: 'RequestOptions', 403: 'Status', 429: 'Status' },
              async handle({ core, request }) {
                return {
                  kind: 'data',
                  data: { request_options: await core.mfa.webauthn.requestOptions(request, null) },
                }
              },
            }),
            POST: operation({
              summary: 'Sign in by a passkey',
              input: ASSERTION,
              answers: { 200: 'Authenticated' },
              handle: async ({ core, request }, { credential }) =>
                loginAnswer(await core.mfa.webauthn.login(request, credential)),
            }),
          },
        },
      ]
    : []
