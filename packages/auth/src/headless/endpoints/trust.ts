import { type ApiModule, operation } from '../endpoint.ts'
import { loginAnswer } from '../login-answer.ts'
import { loginAt, stageGuard } from './mfa-stage.ts'

const STAGE = 'mfa_trust'

/**
 * The last step of a sign-in in a browser: whether it is asked for the second factor again. It is there for every
 * setting that makes a login wait for it.
 */
export const trustResources: ApiModule = ({ settings: { mfa, account } }) =>
  mfa.enabled && (mfa.trustEnabled || account.loginByCodeTrustEnabled)
    ? [
        {
          path: 'auth/2fa/trust',
          tag: 'Authentication: second factor',
          clients: ['browser'],
          access: 'anon',
          before: stageGuard(STAGE),
          operations: {
            POST: operation({
              summary: 'Trust this browser, or do not',
              input: [{ name: 'trust', kind: 'boolean', required: false, about: 'Default: false.' }],
              answers: { 200: 'Authenticated' },
              async handle(call, { trust = false }) {
                const { core, request } = call
                const login = await loginAt(call, STAGE)
                const outcome = await core.login.resume(request, login)
                if (trust) await core.mfa.trust.trust(request, login.user)
                return loginAnswer(outcome)
              },
            }),
          },
        },
      ]
    : []
