import { type ApiModule, operation } from '../endpoint.ts'

/** A token with an RSA signature of 8192 bits and claims is half as long. */
const LONGEST = 8_000

/** New access tokens for apps (4.2.7 of the reference). */
export const tokenResources: ApiModule = () => [
  {
    path: 'tokens/refresh',
    tag: 'Tokens',
    clients: ['app'],
    access: 'anon',
    limit: { action: 'refresh_token', per: 'ip' },
    operations: {
      POST: operation({
        summary: 'Get a new access token',
        input: [{ name: 'refresh_token', kind: 'text', required: true, maxLength: LONGEST }],
        answers: { 200: 'AccessTokens', 400: 'Refused' },
        async handle({ core, request }, { refresh_token }) {
          const tokens = await core.headless.tokens.refresh(request, refresh_token)
          return tokens === null ? { kind: 'data', status: 400 } : { kind: 'data', data: tokens }
        },
      }),
    },
  },
]
