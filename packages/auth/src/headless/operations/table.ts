import { defineOperations } from '../../kernel/operations/declaration.ts'

/** The operations of the JSON API itself. */
export const HEADLESS_OPERATIONS = defineOperations({
  getConfig: {
    method: 'GET',
    path: 'config',
    access: 'anon',
    tag: 'Configuration',
    summary: 'Get the configuration that a front end needs before sign-in',
    answers: { 200: 'Config' },
  },
  refreshTokens: {
    method: 'POST',
    path: 'tokens/refresh',
    clients: ['app'],
    access: 'anon',
    tag: 'Tokens',
    summary: 'Get a new access token',
    // A token with an RSA signature of 8192 bits and claims is half as long.
    input: [{ name: 'refresh_token', kind: 'text', required: true, maxLength: 8_000 }],
    example: { refresh_token: 'eyJhbGciOi…' },
    answers: { 200: 'AccessTokens', 400: 'Refused' },
  },
})
