import type { Headless } from '../headless.ts'
import { type ApiResource, operation } from '../../kernel/operations/operation.ts'

/** A token with an RSA signature of 8192 bits and claims is half as long. */
const LONGEST = 8_000

/** New access tokens for apps (4.2.7 of the reference). */
export const tokenResources = (headless: Headless): readonly ApiResource[] => [
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
        async handle(visit, { refresh_token }) {
          const tokens = await headless.tokens.refresh(visit, refresh_token)
          return tokens === null ? { kind: 'data', status: 400 } : { kind: 'data', data: tokens }
        },
      }),
    },
  },
]
